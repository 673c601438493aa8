"""Management commands of capacity."""
