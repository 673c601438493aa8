"""From rows to a live state: the only loader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from console.configs.queries import NO_POLICY, get_version, policy_of
from console.engine.policy import Policy
from console.engine.state import State
from console.engine.workload import PodSet, Workload
from console.orgs.models import Organization
from console.workloads import models
from console.workloads.models import QueueHold

#: What the engine has to know of a workload.
COLUMNS = ("uid", "pk", "label_set__labels", "requested_priority", "requests")


def load_policy(org: Organization, number: int) -> Policy:
    """Return the policy of a config version; 0 stands for none applied yet."""
    return policy_of(get_version(org, number)) if number else NO_POLICY


def load_state(org: Organization, config_version: int) -> State:
    """
    Return the state that the organization's rows describe under *config_version*.

    It equals the state that ran, except that every parked class is looked at
    once more, which changes nothing.
    """
    state = State(load_policy(org, config_version))
    for queue in QueueHold.objects.filter(org=org).values_list("queue", flat=True):
        state.hold(queue)
    adopt_running(state, models.Workload.objects.filter(org=org))
    _wait(state, org)
    return state


def adopt_running(state: State, rows: QuerySet[models.Workload]) -> None:
    """Put the running workloads among the queryset *rows* into *state*."""
    running = rows.filter(state__in=(models.State.ADMITTED, models.State.PREEMPTING))
    columns = ("queue", "priority", "assignment", "reservation", "state")
    for row in running.order_by("reservation").values_list(*COLUMNS, *columns).iterator():
        queue, priority, assignment, reservation, phase = row[len(COLUMNS) :]
        state.adopt(
            engine_workload(row),
            queue=queue,
            priority=priority or 0,
            assignment=assignment,
            reservation=reservation,
            departing=phase == models.State.PREEMPTING,
        )


def engine_workload(row: tuple[Any, ...]) -> Workload:
    """Return the engine's view of a row that starts with COLUMNS."""
    uid, pk, labels, priority, requests = row[: len(COLUMNS)]
    return Workload(
        id=uid,
        sequence=pk,
        labels=labels,
        priority=priority,
        pod_sets=(PodSet(requests=requests),),
    )


def _wait(state: State, org: Organization) -> None:
    columns = ("queue", "priority", "rule_index", "pending_class", "assignment", "victims")
    promised = []
    for row in _pending(org).values_list(*COLUMNS, *columns).iterator():
        queue, priority, rule, pending_class, assignment, victims = row[len(COLUMNS) :]
        workload = engine_workload(row)
        if assignment:
            promised.append((workload, assignment, victims))
        elif pending_class is None:
            state.submit(workload)
        else:
            state.resubmit(workload, (queue, priority, rule, pending_class))
    for workload, assignment, victims in promised:
        state.promise(workload, assignment=assignment, victims=victims)


def _pending(org: Organization) -> QuerySet[models.Workload]:
    return models.Workload.objects.filter(org=org, state=models.State.PENDING).order_by("pk")


def engine_workloads(rows: QuerySet[models.Workload]) -> Iterator[Workload]:
    """Return the engine's view of the queryset *rows*, in the order of submission."""
    for row in rows.order_by("pk").values_list(*COLUMNS):
        yield engine_workload(row)
