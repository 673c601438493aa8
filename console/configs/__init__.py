"""Configs: versions, drafts, and what is active."""
