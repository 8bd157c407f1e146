"""The intake agent as a graph on the run engine; reached through ``runner`` only."""
