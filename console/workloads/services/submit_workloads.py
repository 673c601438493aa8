"""Hand in workloads: all of them or none, durable when it returns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from console.bulk import insert_objects
from console.chunks import chunks
from console.engine.workload import total_of
from console.orgs.audit import record_many
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.workloads.models import Event, EventType, Intake, LabelSet, Workload
from console.workloads.services.ask_engine import ask_engine
from console.workloads.stored_pod_sets import encode_pod_sets
from console.workloads.submissions import Submission

__all__ = ["Submission", "submit_workloads"]


def submit_workloads(actor: Actor, submissions: Sequence[Submission]) -> list[Workload]:
    """
    Write *submissions* as pending workloads and ask for admission.

    Raises NotAllowed, and BadRequest when a tag uses a reserved key.
    """
    actor.require(Permission.SUBMIT)
    try:
        return _submit(actor, submissions)
    except IntegrityError:
        # A label set that nothing had any more was forgotten since it was found: now it is missed.
        return _submit(actor, submissions)


def _submit(actor: Actor, submissions: Sequence[Submission]) -> list[Workload]:
    batch = prepare(actor, submissions)
    with transaction.atomic():
        write(batch)
    return batch.workloads


@dataclass(frozen=True, slots=True)
class Batch:
    """Workloads ready to be written: everything slow is done."""

    actor: Actor
    workloads: list[Workload]
    #: One for each workload.
    digests: list[str]
    #: Label sets by digest, those that exist as rows and those that do not yet.
    label_sets: dict[str, LabelSet]


def prepare(actor: Actor, submissions: Sequence[Submission]) -> Batch:
    """Return the rows of *submissions*, written nowhere yet."""
    now = timezone.now()
    digests = []
    sets: dict[str, LabelSet] = {}
    for submission in submissions:
        labels = submission.labels()
        digest = _digest(labels)
        digests.append(digest)
        if digest not in sets:
            sets[digest] = LabelSet(org=actor.org, digest=digest, labels=labels)
    workloads = [_workload(actor, submission, now) for submission in submissions]
    return Batch(actor, workloads, digests, sets | _existing(actor.org, list(sets)))


def write(batch: Batch) -> None:
    """Write *batch* inside the caller's transaction, and nudge the engine when it commits."""
    org, name = batch.actor.org, batch.actor.name
    sets = _with_keys(org, batch.label_sets)
    for workload, digest in zip(batch.workloads, batch.digests, strict=True):
        workload.label_set_id = sets[digest].pk
    keys = dict(insert_objects(batch.workloads).run_and_read(("cast(uid AS text)", "id")))
    for workload in batch.workloads:
        workload.pk = keys[workload.uid]
    payload = {"ids": [workload.pk for workload in batch.workloads], "actor": name}
    ask_engine(org.pk, Intake.Kind.SUBMIT, payload, len(batch.workloads))
    insert_objects([_submitted(name, workload) for workload in batch.workloads]).run()
    uids = [workload.uid for workload in batch.workloads]
    record_many(batch.actor, "workload.submit", kind="workload", uids=uids)


def _workload(actor: Actor, submission: Submission, now: datetime) -> Workload:
    asked = submission.asked()
    return Workload(
        org_id=actor.org.pk,
        name=submission.name,
        type=submission.type,
        requests=total_of(asked),
        pod_sets=encode_pod_sets(asked),
        requested_priority=submission.priority,
        user=submission.user,
        groups=list(submission.groups),
        project=submission.project,
        namespace=submission.namespace,
        submitted_by=actor.key,
        submitted_at=now,
    )


def _submitted(actor: str, workload: Workload) -> Event:
    return Event(
        org_id=workload.org_id,
        type=EventType.REQUEST_SUBMITTED,
        workload_id=workload.pk,
        actor=actor,
        data={"workload": workload.uid, "name": workload.name},
        created_at=workload.submitted_at,
    )


def _digest(labels: Mapping[str, str]) -> str:
    canonical = json.dumps(labels, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _existing(org: Organization, digests: list[str]) -> dict[str, LabelSet]:
    found: dict[str, LabelSet] = {}
    for some in chunks(digests):
        rows = LabelSet.objects.filter(org=org, digest__in=some)
        found |= {row.digest: row for row in rows}
    return found


def _with_keys(org: Organization, sets: dict[str, LabelSet]) -> dict[str, LabelSet]:
    missing = [row for row in sets.values() if row.pk is None]
    if not missing:
        return sets
    # In one order for all: two who wait for each other's sets would never end.
    missing.sort(key=lambda row: row.digest)
    # Somebody else may write the same set at this moment: then theirs is read.
    LabelSet.objects.bulk_create(missing, ignore_conflicts=True)
    return sets | _existing(org, [row.digest for row in missing])
