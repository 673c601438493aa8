"""The overview: what needs attention, the numbers and the top consumers."""
