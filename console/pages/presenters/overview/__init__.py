"""Presenters of the overview: attention items, numbers, charts and top consumers."""
