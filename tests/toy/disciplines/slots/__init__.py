"""A discipline for tests: each line admits in order of submission, up to its limit."""
