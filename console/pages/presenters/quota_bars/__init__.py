"""Quota bars: drawings of used, borrowed, lent, available and requested quota."""
