"""Reading, chunking, indexing and finding articles; for answers and for the agent's second look."""
