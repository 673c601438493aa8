"""Response bodies of the API, built as plain dicts from rows and values."""
