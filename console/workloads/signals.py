"""Signals of the engine's work, for apps that count it."""

from django.dispatch import Signal

#: Sent with `org_id` when a lease was taken from a process that was silent or gone.
lease_taken_over = Signal()
