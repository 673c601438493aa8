"""Services of configs, one module for each use case."""
