"""Management commands of retention."""
