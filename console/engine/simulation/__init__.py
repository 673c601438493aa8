"""Simulation: what a policy would do to workloads and quota, found without changing anything."""
