"""Sample one organization: write the changes since its last sample, once for each minute."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from console.chunks import chunks
from console.engine.model.amounts import FlavorResource, encode_amount
from console.engine.model.policy import Policy
from console.orgs.models import Organization
from console.policies.queries import NO_POLICY, get_version, policy_of
from console.series.coverage import floor_hour, floor_minute
from console.series.models import Kind, QuotaLine, Sampler, SeriesPoint, Step
from console.series.sample import Quota, Sample, StoredState, compute_sample, read_stored_state
from console.series.services.sample_orgs import mark_minute
from console.series.stored import point_of
from console.series.subjects import Subject
from console.series.totals import AT_ZERO
from console.workloads.models import Engine

#: Maximum number of reads until two reads see the same version, while a worker writes.
_MOST_READS = 3


def sample_org(org_id: int, now: datetime) -> bool:
    """
    Sample an organization in the minute of *now*; return whether this call wrote the sample.

    False if the minute, or a later one, is already sampled: the transaction that moves the sampler
    writes the rows.
    """
    minute = floor_minute(now)
    sampler = Sampler.objects.select_related("org").filter(pk=org_id).first()
    if sampler is None or (sampler.minute is not None and sampler.minute >= minute):
        return False
    last = sampler.minute
    engine, state = _read_consistently(sampler.org)
    sample = compute_sample(_policy(sampler.org, engine.config_version), state)
    digests = dict(_digests(sample))
    is_new_hour = last is None or last < floor_hour(minute)
    known = {} if is_new_hour else sampler.digests
    with transaction.atomic():
        moved = Sampler.objects.filter(pk=org_id, minute=last).update(
            minute=minute,
            engine_version=engine.version,
            config_version=engine.config_version,
            digests=digests,
            is_empty=not digests,
        )
        if not moved:
            return False
        SeriesPoint.objects.bulk_create(
            point_of(org_id, subject, Step.MINUTE, minute, sample.totals.get(subject, AT_ZERO))
            for subject in _changed(known, digests)
        )
        if last is None or engine.config_version != sampler.config_version:
            kinds = Kind.values
        else:
            # Clusters change without a config.
            kinds = [Kind.CLUSTER.value]
        _write_quotas(org_id, minute, engine.config_version, sample.quotas, kinds)
        mark_minute([org_id], minute)
    return True


def _read_consistently(org: Organization) -> tuple[Engine, StoredState]:
    """Return the engine's row and the current state, consistent despite concurrent writes."""
    for _ in range(_MOST_READS):
        engine = Engine.objects.only("version", "config_version").get(pk=org.pk)
        state = read_stored_state(org)
        if Engine.objects.filter(pk=org.pk, version=engine.version).exists():
            break
    return engine, state


def _policy(org: Organization, number: int) -> Policy:
    return policy_of(get_version(org, number)) if number else NO_POLICY


def _digests(sample: Sample) -> Iterator[tuple[str, str]]:
    for subject, totals in sample.totals.items():
        asked = totals.demand, totals.cannot_run_demand
        content = repr((totals.running, totals.pending, totals.cells, *asked))
        yield _key(subject), hashlib.sha256(content.encode()).hexdigest()[:16]


def _key(subject: Subject) -> str:
    return f"{subject.kind}:{subject.name}"


def _changed(known: Mapping[str, str], digests: Mapping[str, str]) -> Iterator[Subject]:
    """Yield differences from the last sample of the hour, including subjects that became zero."""
    for key in sorted(known.keys() | digests.keys()):
        if known.get(key) != digests.get(key):
            kind, _, name = key.partition(":")
            yield Subject(kind, name)


def _write_quotas(
    org_id: int,
    minute: datetime,
    config_version: int,
    quotas: Mapping[Subject, Mapping[FlavorResource, Quota]],
    kinds: Collection[str],
) -> None:
    """Start a row for every changed quota of subjects of *kinds*, and end the previous one."""
    wanted = {each: _encoded(owned) for each, owned in quotas.items() if each.kind in kinds}
    lines = QuotaLine.objects.filter(org_id=org_id, until=None, kind__in=kinds)
    ended = []
    for pk, kind, name, stored in lines.values_list("pk", "kind", "name", "quotas"):
        subject = Subject(kind, name)
        if wanted.get(subject) == stored:
            del wanted[subject]
        else:
            ended.append(pk)
    for keys in chunks(ended):
        QuotaLine.objects.filter(pk__in=keys).update(until=minute)
    QuotaLine.objects.bulk_create(
        QuotaLine(
            org_id=org_id,
            kind=subject.kind,
            name=subject.name,
            since=minute,
            config_version=config_version,
            quotas=encoded,
        )
        for subject, encoded in wanted.items()
    )


def _encoded(owned: Mapping[FlavorResource, Quota]) -> list[Any]:
    return [
        [flavor, resource, encode_amount(nominal), encode_amount(limit)]
        for (flavor, resource), (nominal, limit) in owned.items()
    ]
