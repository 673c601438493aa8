"""Schemas that are specific to the quota discipline."""
