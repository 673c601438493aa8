"""Synthetic traffic: workloads submitted over the HTTP API, and a simulated executor."""
