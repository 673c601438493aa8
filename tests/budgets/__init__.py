"""What it may cost to open a page or to read a path, held against three worlds."""
