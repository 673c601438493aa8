"""The public anyscale client, as its users install it, against a product of its own."""
