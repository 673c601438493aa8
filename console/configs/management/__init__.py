"""Commands of the configs app."""
