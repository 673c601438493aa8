"""Load the live state of an organization's engine from rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from operator import itemgetter
from sys import intern
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.db.models.functions import Cast

from console.capacity.queries.inventory import load_inventory
from console.engine.model.policy import Policy
from console.engine.model.reasons import reason_of
from console.engine.model.workload import Workload
from console.engine.state import State
from console.orgs.models import Organization
from console.policies.queries import NO_POLICY, get_version, policy_of
from console.workloads import models
from console.workloads.models import Engine, Intake, QueueHold
from console.workloads.services.keep_usage_history import load_usage_history
from console.workloads.stored_texts import (
    as_text,
    assignment_of,
    facts_of,
    groups_of,
    labels_of,
    pod_sets_of,
    remaining_pod_sets,
    stops_of,
)

_Row = TypeVar("_Row")

#: Columns of a workload that the engine needs.
COLUMNS = (
    "uid",
    "pk",
    as_text("label_set__labels"),
    "namespace",
    "requested_priority",
    as_text("requests"),
    as_text("pod_sets"),
    as_text("facts"),
    "user",
    as_text("groups"),
    as_text("remaining_pods"),
    "pending_since",
    "inactive",
    "max_run_time",
    "past_run_time",
)


def load_policy(org: Organization, number: int) -> Policy:
    """Return the policy of config version *number*; 0 is the version before the first apply."""
    return policy_of(get_version(org, number)) if number else NO_POLICY


#: Number of rows after which a long load reports progress.
_STRETCH = 10_000


def load_state(
    org: Organization, config_version: int, report_progress: Callable[[], None] = lambda: None
) -> State:
    """
    Return the state of the organization's rows under *config_version*.

    It equals the state before, except that all workloads are evaluated once more, which changes
    nothing, and that clusters and nodes are the present ones. Other intake that is not applied yet
    is not part of it. *report_progress* is called repeatedly, so that the lease outlasts a long
    load.
    """
    advanced_to = Engine.objects.values_list("advanced_to", flat=True).get(org=org)
    state = State(load_policy(org, config_version), now=advanced_to or 0)
    inventory = load_inventory(org.pk)
    if inventory.clusters:
        state.change_inventory(inventory)
    load_usage_history(state, org)
    for queue in sorted(held_queues(org)):
        state.hold(queue)
    columns = (*COLUMNS, *_RUNNING)
    rows = [
        row
        for phase in (models.State.ADMITTED, models.State.PREEMPTING)
        for row in _read(org, phase, columns, report_progress)
    ]
    rows.sort(key=itemgetter(columns.index("reservation")))
    _restore(state, _in_stretches(rows, report_progress), config_version)
    _resubmit_pending(state, org, report_progress)
    return state


def _read(
    org: Organization,
    phase: models.State,
    columns: Sequence[str | Cast],
    report_progress: Callable[[], None],
) -> Iterator[tuple[Any, ...]]:
    """
    Yield *columns*, which start with COLUMNS, of all workloads in *phase*, by key.

    Each stretch is read completely before *report_progress* is called: SQLite refuses to write on a
    connection with an open read if another connection has written since.
    """
    rows = models.Workload.objects.filter(org=org, state=phase).order_by("pk").values_list(*columns)
    at, last = columns.index("pk"), 0
    while stretch := list(rows.filter(pk__gt=last)[:_STRETCH]):
        yield from stretch
        report_progress()
        last = stretch[-1][at]


def _in_stretches(rows: Iterable[_Row], report_progress: Callable[[], None]) -> Iterator[_Row]:
    for number, row in enumerate(rows, start=1):
        yield row
        if number % _STRETCH == 0:
            report_progress()


def held_queues(org: Organization) -> set[str]:
    """Return the queues that are held in the engine."""
    held = set(QueueHold.objects.filter(org=org).values_list("queue", flat=True))
    # Unapplied requests are undone, last first. They are read after the rows, because each request
    # writes both.
    for kind, payload in _unapplied(org, Intake.Kind.HOLD, Intake.Kind.RESUME).order_by("-pk"):
        if kind == Intake.Kind.HOLD:
            held.discard(payload["queue"])
        else:
            held.add(payload["queue"])
    return held


def _unapplied(org: Organization, *kinds: Intake.Kind) -> QuerySet[Intake, tuple[str, Any]]:
    return Intake.objects.filter(org=org, kind__in=kinds).values_list("kind", "payload")


def restore_running(
    state: State, parts: Iterable[QuerySet[models.Workload]], config_version: int
) -> None:
    """Restore the running workloads in the querysets *parts* in *state*, under *config_version*."""
    columns = (*COLUMNS, *_RUNNING)
    ordered = (
        rows.filter(state__in=(models.State.ADMITTED, models.State.PREEMPTING))
        .order_by("reservation")
        .values_list(*columns)
        .iterator()
        for rows in parts
    )
    _restore(state, merge(*ordered, key=itemgetter(columns.index("reservation"))), config_version)


#: Additional columns of a running workload, after COLUMNS.
_RUNNING = (
    "queue",
    "priority",
    as_text("assignment"),
    "reservation",
    "state",
    "config_version",
    "reason",
    "preemptor",
    as_text("stopped_for"),
    "started",
    "short_since",
)


def _restore(state: State, rows: Iterable[tuple[Any, ...]], config_version: int) -> None:
    for row in rows:
        if state.has_workload(row[0]):
            # The workload moved from one part to the next between two statements.
            continue
        queue, priority, assignment, reservation, phase, version, *why = row[len(COLUMNS) :]
        evicting = phase == models.State.PREEMPTING
        state.restore(
            engine_workload(row),
            queue=queue,
            priority=priority or 0,
            assignment=assignment_of(assignment),
            reservation=reservation,
            evicting=evicting,
            is_routed=version == config_version,
            reason=reason_of(why[0]),
            preemptor=why[1],
            stopped_for=stops_of(why[2]),
            started=why[3],
            short_since=why[4],
        )


def engine_workload(row: tuple[Any, ...]) -> Workload:
    """Return the engine's workload of a row that starts with COLUMNS."""
    uid, pk, labels, namespace, priority, requests, pod_sets, *optional = row[: len(COLUMNS)]
    facts, user, groups, remaining, pending_since, inactive, *run_times = optional
    requested = pod_sets_of(pod_sets, requests)
    present = requested if remaining is None else remaining_pod_sets(requested, remaining)
    is_preemptible, placement = facts_of(facts)
    return Workload(
        id=uid,
        sequence=pk,
        labels=labels_of(labels),
        namespace=intern(namespace),
        priority=priority,
        pod_sets=present,
        user=intern(user),
        groups=groups_of(groups),
        is_preemptible=is_preemptible,
        placement=placement,
        pending_since=pending_since or 0,
        has_finished_pods=present != requested,
        inactive=None if inactive is None else reason_of(inactive),
        max_run_time=run_times[0],
        past_run_time=run_times[1] or 0,
    )


def _resubmit_pending(state: State, org: Organization, report_progress: Callable[[], None]) -> None:
    columns = (
        "queue",
        "priority",
        "rule_index",
        "pending_class",
        "victims",
        "preemptor",
        as_text("stopped_for"),
    )
    rows = list(_read(org, models.State.PENDING, (*COLUMNS, *columns), report_progress))
    # Read after the rows, so that both lack later submissions.
    unapplied = {
        key for _, payload in _unapplied(org, Intake.Kind.SUBMIT) for key in payload["ids"]
    }
    for row in _in_stretches(rows, report_progress):
        if row[COLUMNS.index("pk")] in unapplied:
            continue
        queue, priority, rule, pending_class, victims, *stops = row[len(COLUMNS) :]
        workload = engine_workload(row)
        announced = None if pending_class is None else (queue, priority, rule, pending_class)
        yields_to, stopped_for = stops[0], stops_of(stops[1])
        state.resubmit(workload, announced, victims, yields_to=yields_to, stopped_for=stopped_for)


def engine_workloads(rows: QuerySet[models.Workload]) -> Iterator[Workload]:
    """Yield the engine's workloads of the queryset *rows*, in the order of submission."""
    for row in rows.order_by("pk").values_list(*COLUMNS):
        yield engine_workload(row)
