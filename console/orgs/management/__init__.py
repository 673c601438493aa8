"""Commands about organizations, and the one that starts everything."""
