"""Clusters and nodes, as their agents report them: rows, reports, heartbeats and silence."""
