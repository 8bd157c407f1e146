"""The helpdesk's server side."""
