"""Workloads: the list, one workload, what became of it and why."""
