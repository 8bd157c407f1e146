"""What tickets are found by (postings, vectors) and fitted categories. *Expand*.

A trigger keeps the lexical index, so that no writer can forget it. The ``vector`` extension is made
where the server has it and lets us; without it vectors are compared in the application.

Revision: c41d7e0b93aa
Follows: jobs
Created: 2026-11-30 22:30:00+00:00
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "c41d7e0b93aa"
down_revision: str | None = "c41f0a9d7e26"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_EXTENSION = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN
        CREATE EXTENSION IF NOT EXISTS vector;
    END IF;
EXCEPTION WHEN OTHERS THEN
    -- Not allowed to, or built for another server: searching works without it.
    RAISE NOTICE 'no vector extension: %', SQLERRM;
END
$$
"""

# Punctuation apart, so that the parts of paths and addresses are terms too.
_TERMS = r"""
CREATE FUNCTION ticket_terms(content text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT pg_catalog.to_tsvector(
        'pg_catalog.english'::regconfig,
        translate(left(content, 20000), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32))
    )
$$
"""

_FUNCTION = """
CREATE FUNCTION index_ticket() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM ticket_index WHERE ticket_number = NEW.number;
    INSERT INTO ticket_index (ticket_number, title_length, problem_length, terms)
    SELECT NEW.number,
           coalesce((SELECT sum(cardinality(positions)) FROM unnest(ticket_terms(NEW.title))), 0),
           coalesce((SELECT sum(cardinality(positions)) FROM unnest(ticket_terms(NEW.problem))), 0),
           length(ticket_terms(NEW.title) || ticket_terms(NEW.problem));
    INSERT INTO ticket_postings (term, ticket_number, in_title, in_problem)
    SELECT lexeme, NEW.number, sum(t), sum(p)
    FROM (
        SELECT lexeme, cardinality(positions) AS t, 0 AS p FROM unnest(ticket_terms(NEW.title))
        UNION ALL
        SELECT lexeme, 0, cardinality(positions) FROM unnest(ticket_terms(NEW.problem))
    ) AS said
    GROUP BY lexeme;
    RETURN NULL;
END
$$
"""


def upgrade() -> None:
    """Bring the schema up."""
    op.execute(_EXTENSION)
    op.create_table(
        "ticket_index",
        sa.Column("ticket_number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("title_length", sa.Integer(), nullable=False),
        sa.Column("problem_length", sa.Integer(), nullable=False),
        sa.Column("terms", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("vector", postgresql.ARRAY(sa.REAL()), nullable=True),
        sa.CheckConstraint(
            "(model IS NULL) = (vector IS NULL)", name=op.f("ck_ticket_index_vector_with_model")
        ),
        sa.ForeignKeyConstraint(
            ["ticket_number"],
            ["tickets.number"],
            name=op.f("fk_ticket_index_ticket_number_tickets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("ticket_number", name=op.f("pk_ticket_index")),
    )
    op.create_index(
        "ix_ticket_index_without_vector",
        "ticket_index",
        ["ticket_number"],
        postgresql_where=sa.text("vector IS NULL"),
    )
    op.create_table(
        "ticket_postings",
        sa.Column("term", sa.Text(), nullable=False),
        sa.Column("ticket_number", sa.BigInteger(), nullable=False),
        sa.Column("in_title", sa.SmallInteger(), nullable=False),
        sa.Column("in_problem", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["ticket_number"],
            ["ticket_index.ticket_number"],
            name=op.f("fk_ticket_postings_ticket_number_ticket_index"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("term", "ticket_number", name=op.f("pk_ticket_postings")),
    )
    op.create_index("ix_ticket_postings_ticket_number", "ticket_postings", ["ticket_number"])
    op.create_table(
        "category_models",
        sa.Column("version", sa.Integer(), sa.Identity(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("examples", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("version", name=op.f("pk_category_models")),
    )
    op.execute(_TERMS)
    op.execute(_FUNCTION)
    op.execute(
        "CREATE TRIGGER index_ticket AFTER INSERT OR UPDATE OF title, problem ON tickets"
        " FOR EACH ROW EXECUTE FUNCTION index_ticket()"
    )
    # Indexes what is there already; a year's tickets of a desk take seconds.
    op.execute("SET LOCAL statement_timeout = '10min'")
    op.execute("UPDATE tickets SET title = title")


def downgrade() -> None:
    """Take it back; the extension stays, since others may use it."""
    op.execute("DROP TRIGGER index_ticket ON tickets")
    op.execute("DROP FUNCTION index_ticket()")
    op.execute("DROP FUNCTION ticket_terms(text)")
    op.drop_table("category_models")
    op.drop_index("ix_ticket_postings_ticket_number", table_name="ticket_postings")
    op.drop_table("ticket_postings")
    op.drop_index("ix_ticket_index_without_vector", table_name="ticket_index")
    op.drop_table("ticket_index")
