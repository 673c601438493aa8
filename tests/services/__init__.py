"""Use cases, called as the API and the pages call them."""
