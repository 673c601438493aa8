"""The traces of the scheduler performance test of Kueue."""
