"""Tests of services, called like the API and the pages call them."""
