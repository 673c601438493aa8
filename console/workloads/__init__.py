"""Workloads: submitted, decided, explained; and the rows the engine keeps."""
