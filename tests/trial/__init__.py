"""A trace as a product is given it, and the client that plays it in real time."""
