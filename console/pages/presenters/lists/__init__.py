"""Lists: addresses of their pages, filters and tallies."""
