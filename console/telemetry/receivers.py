"""Receivers: totals of what workers do outside of batches."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from console.telemetry.models import Metric
from console.telemetry.totals import Count, add_totals
from console.workloads.signals import lease_taken_over


@receiver(lease_taken_over)
def count_takeover(org_id: int, **_: Any) -> None:
    """Count a lease that was taken from a process that was silent or gone."""
    add_totals(org_id, [Count(Metric.TAKEOVER)]).run()
