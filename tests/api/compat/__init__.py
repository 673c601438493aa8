"""Tests of the public client's protocol with plain HTTP requests."""
