"""Tests of the discipline `placement`."""
