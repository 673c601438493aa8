"""Telemetry: what monitoring systems read, from rows, so that any web process answers for all."""
