"""Everything SQLAlchemy. Repositories take and return domain types; no mapped object leaves."""
