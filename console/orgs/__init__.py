"""Organizations, and the people and tokens that act in them."""
