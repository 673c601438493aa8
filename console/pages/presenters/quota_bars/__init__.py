"""Quota bars: how much of a quota is used, borrowed, lent and requested."""
