"""Tests of lints: warnings about valid configs, in every dialect."""
