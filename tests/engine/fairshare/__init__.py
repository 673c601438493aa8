"""Tests of the discipline `fairshare`."""
