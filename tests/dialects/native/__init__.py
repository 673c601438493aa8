"""What native configs yield."""
