"""Submit workloads: all or none are stored, durably."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from console import statements
from console.bulk import insert_objects
from console.engine.model.workload import total_of
from console.orgs.audit import record_many
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.time_formats import milliseconds
from console.workloads.identified import identified
from console.workloads.models import Event, EventType, Intake, LabelSet, Workload
from console.workloads.services.write_intake import write_intake
from console.workloads.stored_facts import OptionalFacts, encode_facts
from console.workloads.stored_pod_sets import encode_pod_sets
from console.workloads.submissions import Submission

__all__ = ["Submission", "submit_workloads"]

#: Maximum number of repeated workloads in an audit entry.
_RECORDED: Final = 5

_KEYS: Final = f"""SELECT cast(digest AS text), id FROM workloads_labelset
    WHERE org_id = %s AND digest {statements.AMONG_TEXTS}
"""  # noqa: S608


def submit_workloads(
    actor: Actor, submissions: Sequence[Submission], *, resubmitted: Sequence[str] = ()
) -> list[Workload]:
    """
    Store *submissions* as pending workloads and request their admission.

    *resubmitted* has the id of the workload that each one repeats; it is empty without any.
    Raises NotAllowed, BadRequest if a tag uses a reserved key, and NotYourIdentity.
    """
    actor.require(Permission.SUBMIT)
    try:
        return _submit(actor, submissions, resubmitted)
    except IntegrityError:
        # An unused label set was deleted after it was read; a second attempt creates it.
        return _submit(actor, submissions, resubmitted)


def _submit(
    actor: Actor, submissions: Sequence[Submission], resubmitted: Sequence[str]
) -> list[Workload]:
    batch = prepare(actor, submissions, resubmitted=resubmitted)
    with transaction.atomic():
        write(batch)
    return batch.workloads


@dataclass(frozen=True, slots=True)
class Batch:
    """Workloads that are ready to be written in a short transaction."""

    actor: Actor
    workloads: list[Workload]
    #: Digest of the labels of each workload.
    digests: list[str]
    #: The labels of each digest, and the keys of label sets that exist already.
    labels: dict[str, Mapping[str, str]]
    keys: dict[str, int]
    #: The users and groups of others that the workloads state, for the audit entry.
    others: Mapping[str, list[str]]
    #: The id of the workload that each one repeats; empty without any.
    resubmitted: Sequence[str] = ()


def prepare(
    actor: Actor, submissions: Sequence[Submission], *, resubmitted: Sequence[str] = ()
) -> Batch:
    """
    Return the rows of *submissions* without writing them; *resubmitted* as in `submit_workloads`.

    Raises BadRequest if a tag uses a reserved key, and NotYourIdentity.
    """
    now = timezone.now()
    found = identified(actor, submissions)
    digests = []
    sets: dict[str, Mapping[str, str]] = {}
    for submission in found.submissions:
        labels = submission.labels()
        digest = _digest(labels)
        digests.append(digest)
        sets[digest] = labels
    workloads = [_workload(actor, submission, now) for submission in found.submissions]
    keys = _keys_of(actor.org, sets)
    return Batch(actor, workloads, digests, sets, keys, found.others, resubmitted)


def write(batch: Batch) -> None:
    """Write *batch* in the caller's transaction, and wake up the engine after commit."""
    org, name = batch.actor.org, batch.actor.name
    label_sets = batch.keys | _write_label_sets(org, batch.labels.keys() - batch.keys, batch.labels)
    for workload, digest in zip(batch.workloads, batch.digests, strict=True):
        # A set that was deleted just now has no key; the database reports the invalid one.
        workload.label_set_id = label_sets.get(digest, 0)
    with statements.pipeline():
        keys = dict(insert_objects(batch.workloads).run_and_read(("cast(uid AS text)", "id")))
        for workload in batch.workloads:
            workload.pk = keys[workload.uid]
        payload = {"ids": [workload.pk for workload in batch.workloads], "actor": name}
        write_intake(org.pk, Intake.Kind.SUBMIT, payload, len(batch.workloads))
        earlier = batch.resubmitted or [""] * len(batch.workloads)
        insert_objects(
            [
                _submitted(name, workload, old)
                for workload, old in zip(batch.workloads, earlier, strict=True)
            ]
        ).run()
        uids = [workload.uid for workload in batch.workloads]
        facts = dict(batch.others)
        if batch.resubmitted:
            facts["resubmitted"] = list(batch.resubmitted[:_RECORDED])
        record_many(batch.actor, "workload.submit", kind="workload", uids=uids, after=facts)


def _workload(actor: Actor, submission: Submission, now: datetime) -> Workload:
    pod_sets = submission.requested_pod_sets()
    return Workload(
        org_id=actor.org.pk,
        name=submission.name,
        type=submission.type,
        requests=total_of(pod_sets),
        pod_sets=encode_pod_sets(pod_sets),
        requested_priority=submission.priority,
        user=submission.user,
        groups=list(submission.groups),
        project=submission.project,
        namespace=submission.namespace,
        facts=encode_facts(OptionalFacts(submission.preemptible, submission.placement)),
        submitted_by=actor.key,
        submitted_at=now,
        pending_since=milliseconds(now),
        max_run_time=None
        if submission.max_run_seconds is None
        else submission.max_run_seconds * 1000,
    )


def _submitted(actor: str, workload: Workload, resubmitted: str) -> Event:
    data = {"workload": workload.uid, "name": workload.name}
    if resubmitted:
        data["resubmitted"] = resubmitted
    return Event(
        org_id=workload.org_id,
        type=EventType.REQUEST_SUBMITTED,
        workload_id=workload.pk,
        actor=actor,
        data=data,
        created_at=workload.submitted_at,
    )


def _digest(labels: Mapping[str, str]) -> str:
    canonical = json.dumps(labels, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _keys_of(org: Organization, digests: Iterable[str]) -> dict[str, int]:
    """Return the keys of existing label sets, by digest."""
    parameters = [org.pk, statements.list_parameter(digests)]
    return dict(statements.rows(_KEYS, parameters, is_replanned=True))


def _write_label_sets(
    org: Organization, missing: Iterable[str], labels: Mapping[str, Mapping[str, str]]
) -> dict[str, int]:
    """Write the label sets of *missing* digests, and return their keys."""
    # In a fixed order: otherwise two transactions could wait for each other's sets.
    digests = sorted(missing)
    if not digests:
        return {}
    sets = [LabelSet(org=org, digest=digest, labels=labels[digest]) for digest in digests]
    # If a concurrent transaction writes the same set, that one is read.
    LabelSet.objects.bulk_create(sets, ignore_conflicts=True)
    return _keys_of(org, digests)
