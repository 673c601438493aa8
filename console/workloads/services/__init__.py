"""Services of workloads: one module for each use case."""
