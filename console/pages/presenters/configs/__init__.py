"""Configs: drafts, the editor, differences, reviews and the history of versions."""
