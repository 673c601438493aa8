"""Retention of impact runs, drafts and versions; drafts and versions never expire."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from console.configs.models import ConfigVersion, Draft, ImpactRun
from console.retention.models import Kind
from console.retention.registry import Retention, Rows, count_rows, register

#: Retention period of an impact run after its end.
IMPACTS_KEPT: Final = timedelta(days=7)


def _impacts(org_id: int) -> Rows:
    return count_rows(ImpactRun.objects.filter(org=org_id), "id", "created_at")


def _drafts(org_id: int) -> Rows:
    return count_rows(Draft.objects.filter(org=org_id), "updated_at", "updated_at")


def _versions(org_id: int) -> Rows:
    return count_rows(ConfigVersion.objects.filter(org=org_id), "number", "created_at")


register(
    Retention(kind=Kind.IMPACTS, fixed_days=IMPACTS_KEPT.days, job="tidy impacts", rows=_impacts),
    Retention(kind=Kind.DRAFTS, rows=_drafts),
    Retention(kind=Kind.VERSIONS, rows=_versions),
)
