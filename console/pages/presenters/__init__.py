"""Presenters: convert rows and engine values to the data that templates print."""
