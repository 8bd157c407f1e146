"""A checkup of the installation: every part looked at, each with what to do about it."""
