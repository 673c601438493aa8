"""Synthetic traffic: workloads submitted over the HTTP API, and an executor that reports on them."""
