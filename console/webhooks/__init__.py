"""Webhooks: programs elsewhere are told what happened, signed, and again until they answer."""
