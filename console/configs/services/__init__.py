"""Use cases of configs: one module each, named by what it does."""
