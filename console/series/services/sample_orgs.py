"""
Sample all organizations: mark the minute for unchanged ones, and return the others.

Unchanged organizations need one statement for hundreds of them and no rows of their own, so a
thousand are sampled in a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q

from console.chunks import chunks
from console.series.coverage import bit_of, floor_hour, floor_minute
from console.series.models import SampledHour, Sampler
from console.workloads.models import Engine


def sample_orgs(now: datetime) -> list[int]:
    """
    Mark the minute of *now* as sampled for every organization without changes.

    Return the keys of the others, for `sample_org`, until they are sampled. A repeated or
    concurrent call in the same minute changes nothing.
    """
    minute = floor_minute(now)
    create_samplers()
    quiet: list[int] = []
    changed: list[int] = []
    due = Sampler.objects.filter(Q(minute=None) | Q(minute__lt=minute)).order_by("pk")
    for org_id, last, version, is_empty, engine_version in due.values_list(
        "pk", "minute", "engine_version", "is_empty", "org__engine__version"
    ):
        # The first sample of an hour has rows for all subjects, so that each hour is complete.
        stands = last is not None and (is_empty or last >= floor_hour(minute))
        (quiet if stands and version == engine_version else changed).append(org_id)
    for chunk in chunks(quiet):
        _mark_unchanged(chunk, minute)
    return changed


def mark_minute(orgs: Sequence[int], minute: datetime) -> None:
    """Add *minute* to the sampled minutes of *orgs*; this can be repeated."""
    hour = floor_hour(minute)
    SampledHour.objects.bulk_create(
        [SampledHour(org_id=org_id, start=hour) for org_id in orgs], ignore_conflicts=True
    )
    SampledHour.objects.filter(org_id__in=orgs, start=hour).update(
        minutes=F("minutes").bitor(bit_of(minute))
    )


def _mark_unchanged(orgs: Sequence[int], minute: datetime) -> None:
    with transaction.atomic():
        # Only organizations without a later sample, which must not be overwritten.
        still = Sampler.objects.filter(pk__in=orgs, minute__lt=minute)
        still.update(minute=minute)
        mark_minute(orgs, minute)


def create_samplers() -> None:
    """Create the samplers of new organizations."""
    missing = Engine.objects.filter(org__sampler=None).values_list("pk", flat=True)
    Sampler.objects.bulk_create(
        [Sampler(org_id=org_id) for org_id in missing], ignore_conflicts=True
    )
