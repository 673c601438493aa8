"""Tests of crash safety, which kill real processes."""
