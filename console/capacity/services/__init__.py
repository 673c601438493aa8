"""Services of capacity: one module for each use case."""
