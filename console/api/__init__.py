"""The HTTP API: JSON requests and responses, errors in the format of RFC 9457."""
