"""The traces, the book that checks them, and the clock that plays them."""
