"""Answers about hierarchical queues."""
