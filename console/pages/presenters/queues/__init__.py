"""Queues: the list and the page of one queue."""
