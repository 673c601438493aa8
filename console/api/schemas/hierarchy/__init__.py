"""Schemas of hierarchical queues."""
