"""The engine under every graph: claims, fenced checkpoints, events, deadline, abort, takeover.

Knows no helpdesk and no ticket word; what a graph means is its driver's affair.
"""
