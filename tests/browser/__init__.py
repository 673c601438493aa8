"""Tests of the product in a real browser."""
