"""Presenters of configs: drafts, editor, differences, reviews and version history."""
