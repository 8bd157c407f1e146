"""The graph's nodes: short functions from state to a partial update."""
