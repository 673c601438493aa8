"""Tests of the Kueue dialect."""
