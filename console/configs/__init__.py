"""Configs: drafts, apply and roll back, impact, expectations."""
