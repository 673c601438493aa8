"""Metrics for monitoring systems, read from rows, so that any web process returns all of them."""
