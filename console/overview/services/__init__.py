"""Looks at organizations that workers take, so that pages need not."""
