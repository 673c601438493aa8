"""Simulation: effects of a policy on workloads and quota, computed without side effects."""
