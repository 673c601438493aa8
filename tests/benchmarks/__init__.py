"""Benchmarks, each of which also checks its results."""
