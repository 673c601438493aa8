"""Queries of accounting."""
