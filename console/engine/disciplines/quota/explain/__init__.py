"""How quota words its facts: the flavors, the search for victims, and their headlines."""
