"""Benchmarks that come with the product: traces of arrivals, the clock that plays them, figures."""
