"""Signals of the engine, for apps that count its events."""

from django.dispatch import Signal

#: Sent with `org_id` when a lease was taken from a silent or dead process.
lease_taken_over = Signal()
