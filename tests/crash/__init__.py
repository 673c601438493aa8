"""Crash safety, tested by really killing processes."""
