"""One repository per aggregate: concrete, over one open transaction, scoped by owner where rows
have one.
"""
