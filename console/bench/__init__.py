"""Benchmarks of the engine: arrival traces, their replay in virtual time, and the results."""
