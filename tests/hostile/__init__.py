"""Malicious input that an authenticated user or API client might send."""
