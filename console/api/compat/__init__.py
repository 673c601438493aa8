"""The protocol of the public anyscale client, under /api/v2, in that client's terms."""
