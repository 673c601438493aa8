"""Trials: a trace of arrivals played in real time, through a whole product of its own."""
