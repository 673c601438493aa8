"""Queries about hierarchical queues: use by users and groups, and placement rules."""
