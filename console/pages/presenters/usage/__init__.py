"""Presenters of usage over time: panels, tables and files."""
