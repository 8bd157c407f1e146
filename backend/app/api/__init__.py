"""The edge: HTTP and server-sent events. One module per noun; no rule lives here."""
