"""Schemas of what only the quota discipline has."""
