"""Listings of nodes, as tools of clusters print them, converted to reports."""
