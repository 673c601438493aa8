"""Configs: drafts, versions, apply and roll back, impact runs and expectations."""
