"""The agent's building blocks: reading replies, classifying, asking, drafting, admission, filing."""
