"""Services for identities of the provider: one use case per module."""
