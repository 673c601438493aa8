"""Partitions of the tables that grow without end, on PostgreSQL: made ahead, and dropped whole."""
