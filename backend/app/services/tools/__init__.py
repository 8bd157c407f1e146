"""What every tool of an agent shares: its bounds, and the search of the web."""
