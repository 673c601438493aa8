"""Traces of the scheduler performance test of Kueue."""
