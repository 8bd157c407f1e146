"""Adapters to the outside world; only ``bootstrap`` knows them."""
