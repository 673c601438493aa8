"""Webhooks: signed HTTP requests to receivers about events, with retries."""
