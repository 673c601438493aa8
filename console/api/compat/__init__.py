"""The protocol of the public anyscale client, under /api/v2: its names for what Sluice has."""
