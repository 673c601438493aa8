"""Presenters: turn rows and engine values into what a template prints."""
