"""Use cases of series: sample, count, roll up, forget."""
