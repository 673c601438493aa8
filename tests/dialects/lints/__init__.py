"""What sound configs of any language are told, and where."""
