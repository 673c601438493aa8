"""Signal receivers that count changes outside of batches."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from console.telemetry.models import Metric
from console.telemetry.totals import Count, add_totals
from console.workloads.signals import lease_taken_over


@receiver(lease_taken_over)
def count_takeover(org_id: int, **_: Any) -> None:
    """Count a lease taken from a process that ended or did not renew."""
    add_totals(org_id, [Count(Metric.TAKEOVER)]).run()
