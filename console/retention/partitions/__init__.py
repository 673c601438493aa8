"""Partitions on PostgreSQL of the tables that grow without limit."""
