"""Immutable values of the engine: policies, workloads, decisions and their traces."""
