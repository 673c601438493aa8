"""Usage over time: panels, tables and files."""
