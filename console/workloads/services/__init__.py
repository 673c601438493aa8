"""Use cases of workloads: one module each, named by what it does."""
