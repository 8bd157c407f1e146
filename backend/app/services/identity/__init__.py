"""Sign-in, browser sessions, personal access tokens and accounts."""
