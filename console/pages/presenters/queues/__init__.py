"""Presenters of the list of queues and the page of a queue."""
