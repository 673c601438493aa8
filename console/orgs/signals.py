"""Signals of organizations, for apps that keep rows of their own about each of them."""

from django.dispatch import Signal

#: Sent with `org` in the transaction that creates an organization.
org_created = Signal()
