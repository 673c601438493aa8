"""
Models of accounts: what each consumer holds now, and the resource-time that it used by hour.

For every account, the sum of its hours is exactly the time integral of what it held until
`AccountClock.counted_until`. `console.accounting.services.account_batch` says why.
"""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization
from console.workloads.fields import ExactIntegerField


class AccountClock(models.Model):
    """How far the accounts of an organization are counted."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="account_clock"
    )
    #: Version of the engine's row whose batch the accounts contain last.
    engine_version = models.BigIntegerField()
    #: Times in milliseconds since 1970 in UTC: the start of counting, and its end so far.
    since = models.BigIntegerField()
    counted_until = models.BigIntegerField()

    def __str__(self) -> str:
        return f"accounts of {self.org_id} until {self.counted_until}"


class Account(models.Model):
    """One consumer of one flavor-resource, and the quota that its running workloads hold."""

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    #: SHA-256 of the fields below except `held`, in canonical JSON.
    digest = models.CharField(max_length=64)
    #: Queue, user and project are empty for workloads without one.
    queue = models.CharField(max_length=500)
    user = models.CharField(max_length=200)
    project = models.CharField(max_length=200)
    labels = models.JSONField()
    flavor = models.CharField(max_length=500)
    resource = models.CharField(max_length=500)
    #: In thousandths.
    held = ExactIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "digest"], name="one_account_per_consumer")
        ]
        indexes = [
            # The accounts that fold and queries read: few of all that were ever used.
            models.Index(fields=["org"], condition=~models.Q(held="0"), name="account_that_holds")
        ]

    def __str__(self) -> str:
        return f"{self.resource} of {self.queue}"


class AccountedHour(models.Model):
    """
    Resource-time of an account in one hour, in thousandths of the resource times milliseconds.

    It is `high * RADIX + low`, see `console.accounting.amounts`: a petabyte for an hour exceeds 64
    bits. Expired hours are summed up in the first hour of their day. A row may be negative for a
    while, until the accounts are folded.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    #: Whole hours since 1970 in UTC.
    hour = models.IntegerField()
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="hours")
    high = models.BigIntegerField()
    low = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["org", "hour", "account"], name="one_row_per_accounted_hour"
            )
        ]

    def __str__(self) -> str:
        return f"account {self.account_id} in hour {self.hour}"
