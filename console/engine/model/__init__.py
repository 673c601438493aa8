"""The values that pass through the engine: policies, workloads, decisions and their traces."""
