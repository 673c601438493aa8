"""What config texts yield, in every dialect."""
