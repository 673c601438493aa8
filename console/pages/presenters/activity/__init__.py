"""Presenters of events and the audit log."""
