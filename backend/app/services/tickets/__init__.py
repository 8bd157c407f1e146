"""The ticket desk."""
