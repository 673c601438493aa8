"""Retention: how long rows are kept, how many there are, and the last deletions."""
