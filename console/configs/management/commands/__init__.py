"""Commands of the configs app, one per module."""
