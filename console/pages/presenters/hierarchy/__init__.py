"""Presenters of hierarchical queues: users and groups, placement rules, and settings of a queue."""
