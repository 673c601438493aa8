"""Series: use, demand, counts and waits over time."""
