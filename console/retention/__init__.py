"""Retention: what is kept for how long, how much of it there is, and what was forgotten last."""
