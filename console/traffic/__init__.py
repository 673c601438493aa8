"""Synthetic work that comes in over HTTP, as an executor would hand it in and report on it."""
