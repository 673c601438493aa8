"""Tests of the dialects: parsing, findings, lints, editor support and merging of configs."""
