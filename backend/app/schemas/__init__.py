"""What crosses the wire. No behaviour beyond validation."""
