"""Tests of the discipline `hierarchy`."""
