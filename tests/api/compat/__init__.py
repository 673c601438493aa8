"""The public client's protocol, asked with plain requests."""
