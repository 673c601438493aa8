"""Metrics for monitoring systems, read from the database: any web process returns all of them."""
