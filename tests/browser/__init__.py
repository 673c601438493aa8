"""The product as people use it, in a real browser."""
