"""Rows and values as the API writes them: plain dicts."""
