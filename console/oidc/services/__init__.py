"""What can be done with identities of the provider: one use case per module."""
