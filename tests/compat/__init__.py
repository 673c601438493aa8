"""Tests of the public anyscale client, as its users install it, against a running product."""
