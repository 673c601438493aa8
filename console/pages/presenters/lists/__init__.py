"""Presenters of lists: URLs of pages, filters and tallies."""
