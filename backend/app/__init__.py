"""The application, laid out in layers; imports point down only (docs/ARCHITECTURE.md)."""

__version__ = "0.1.0"
