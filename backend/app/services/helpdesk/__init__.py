"""The building blocks of the agent: replies, grades, questions, drafts, admission, filing."""
