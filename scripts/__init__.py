"""Thin command-line fronts over services."""
