"""Speed, measured on results that are checked."""
