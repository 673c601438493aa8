"""Presenters of workloads: list, page of a workload, explanations and comparisons."""
