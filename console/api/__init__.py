"""The product's HTTP API: JSON in, JSON out, problems as RFC 9457 writes them."""
