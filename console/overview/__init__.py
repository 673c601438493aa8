"""The overview of an organization: attention items, totals and top consumers."""
