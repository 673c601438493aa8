"""Snapshot of an organization's live state at one moment, for questions, without the lease."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import chain
from typing import NamedTuple

from console.capacity.queries.inventory import load_inventory
from console.engine.model.reasons import reason_of
from console.engine.model.workload import Workload
from console.engine.state import State
from console.orgs.models import Organization
from console.workloads import models
from console.workloads.models import LIVE, Engine
from console.workloads.services.keep_usage_history import load_usage_history
from console.workloads.services.load_state import engine_workload, held_queues, load_policy
from console.workloads.stored_texts import (
    as_text,
    assignment_of,
    stops_of,
)

#: Number of rows after which a snapshot reports progress.
STRETCH = 10_000


class _Row(NamedTuple):
    """
    One live workload as it is read.

    JSON stays text at first, see `stored_texts`.
    """

    uid: str
    pk: int
    namespace: str
    requested_priority: int | None
    state: str
    queue: str | None
    priority: int | None
    rule_index: int | None
    config_version: int | None
    reservation: int
    started: int | None
    short_since: int | None
    reason: str
    preemptor: str | None
    pending_class: str | None
    labels_text: str
    requests_text: str
    pod_sets_text: str
    user: str
    groups_text: str
    facts_text: str | None
    assignment_text: str
    victims_text: str
    stopped_for_text: str
    remaining_pods_text: str | None
    pending_since: int | None
    inactive: str | None
    max_run_time: int | None
    past_run_time: int | None


#: Columns of texts that do not have the name of the field.
_COLUMNS = {"labels_text": "label_set__labels"}


def snapshot_state(
    org: Organization, report_progress: Callable[[int], None] = lambda done: None
) -> tuple[State, int]:
    """
    Return the unsettled state of the organization's rows, and its config version.

    All workloads are read by one statement, so that they are consistent although the worker
    continues; no transaction stays open, and no lease is taken. Submitted workloads that are not
    evaluated yet are pending in the state; other intake is not part of it. *report_progress* is
    called repeatedly with the number of processed workloads.
    """
    while True:
        version, _ = _progress(org)
        held = held_queues(org)
        rows = _rows(org)
        after, advanced_to = _progress(org)
        if after == version:
            break
    state = State(load_policy(org, version), now=advanced_to)
    # Also if the active policy does not read it, because the caller may try another one.
    inventory = load_inventory(org.pk)
    if inventory.clusters:
        state.change_inventory(inventory)
    load_usage_history(state, org)
    for queue in sorted(held):
        state.hold(queue)
    running = [row for row in rows if row.state != models.State.PENDING]
    waiting = [row for row in rows if row.state == models.State.PENDING]
    running.sort(key=lambda row: row.reservation)
    waiting.sort(key=lambda row: row.pk)
    for done, row in enumerate(chain(running, waiting), start=1):
        if row.state == models.State.PENDING:
            _resubmit(state, row)
        else:
            _restore(state, row, version)
        if done % STRETCH == 0:
            report_progress(done)
    report_progress(len(rows))
    return state, version


def _progress(org: Organization) -> tuple[int, int]:
    """Return the config version and the time of the engine."""
    found = Engine.objects.values_list("config_version", "advanced_to").get(org=org)
    version, advanced_to = found
    return version, advanced_to or 0


def _rows(org: Organization) -> list[_Row]:
    rows = models.Workload.objects.filter(org=org, state__in=LIVE).order_by()
    texts = {
        name: as_text(_COLUMNS.get(name, name.removesuffix("_text")))
        for name in _Row._fields
        if name.endswith("_text")
    }
    return list(map(_Row._make, rows.annotate(**texts).values_list(*_Row._fields)))


def _restore(state: State, row: _Row, config_version: int) -> None:
    evicting = row.state == models.State.PREEMPTING
    state.restore(
        _workload(row),
        queue=row.queue,
        priority=row.priority or 0,
        assignment=assignment_of(row.assignment_text),
        reservation=row.reservation,
        evicting=evicting,
        is_routed=row.config_version == config_version,
        reason=reason_of(row.reason),
        preemptor=row.preemptor,
        stopped_for=stops_of(row.stopped_for_text),
        started=row.started,
        short_since=row.short_since,
    )


def _resubmit(state: State, row: _Row) -> None:
    announced = None
    if row.pending_class is not None:
        announced = (row.queue, row.priority, row.rule_index, row.pending_class)
    state.resubmit(
        _workload(row),
        announced,
        json.loads(row.victims_text) if row.victims_text != "[]" else (),
        yields_to=row.preemptor,
        stopped_for=stops_of(row.stopped_for_text),
    )


def _workload(row: _Row) -> Workload:
    return engine_workload(
        (
            *(row.uid, row.pk, row.labels_text, row.namespace, row.requested_priority),
            *(row.requests_text, row.pod_sets_text, row.facts_text, row.user, row.groups_text),
            row.remaining_pods_text,
            row.pending_since,
            row.inactive,
            row.max_run_time,
            row.past_run_time,
        )
    )
