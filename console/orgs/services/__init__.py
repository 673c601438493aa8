"""What can be done with organizations, people and tokens: one use case per module."""
