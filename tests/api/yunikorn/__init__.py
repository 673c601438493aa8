"""Tests of YuniKorn's REST API."""
