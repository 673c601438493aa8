"""Migrations while another version runs: lock retries, server checks and schema comparison."""
