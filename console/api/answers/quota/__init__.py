"""Answers about what only the quota discipline has."""
