"""Routing strategies, which assign a queue and an effective priority to each workload."""
