"""Commands of the workloads app."""
