"""What somebody with an account or a token might send to break something."""
