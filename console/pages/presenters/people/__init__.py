"""Members, tokens and sessions."""
