"""The views: read the request, ask queries or services, hand finished values to a template."""
