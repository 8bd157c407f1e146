"""Chat sessions, messages, feedback, and the ASK answer with its citations."""
