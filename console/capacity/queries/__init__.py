"""Queries of capacity: clusters and nodes for pages and API, the inventory for the engine."""
