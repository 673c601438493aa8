"""Signals of organizations, for apps that keep rows for each organization."""

from django.dispatch import Signal

#: Sent with `org` in the transaction that creates an organization.
org_created = Signal()
