"""The HTTP API, endpoint by endpoint."""
