"""Presenters of members, tokens and sessions."""
