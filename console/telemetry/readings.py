"""Readings of metrics from rows, for all organizations in few queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, F, Min, Sum

from console.engine.disciplines import load_discipline
from console.engine.disciplines.read_model import Capacity
from console.engine.model.amounts import Amount, FlavorResource, Unlimited
from console.engine.model.policy import Policy, StopPolicy
from console.policies.models import ConfigVersion
from console.policies.queries import NO_POLICY, policy_of
from console.telemetry.models import Total
from console.workloads.models import Engine, Intake, PendingClass, QueueCount, QueueHold, Usage
from console.workloads.queries.demand import Demand

#: Label values and value of a sample.
Reading = tuple[tuple[str, ...], float]


def gauge_readings(now: datetime, *, by_queue: bool) -> Iterator[tuple[str, Reading]]:
    """
    Yield the samples of every gauge of `console.telemetry.families`, with its name.

    Without *by_queue*, gauges of queues are omitted.
    """
    engines = list(Engine.objects.select_related("org").order_by("pk"))
    for engine in engines:
        slug = engine.org.slug
        yield "config_version", ((slug,), engine.config_version)
        for state, count in sorted(engine.counts.items()):
            yield "workloads", ((slug, state), count)
    yield from _intake({engine.pk: engine.org.slug for engine in engines}, now)
    if by_queue:
        policies = _policies()
        rows = _queue_rows()
        for engine in engines:
            policy = policies.get(engine.pk, NO_POLICY)
            for name, (labels, value) in _queues(policy, rows[engine.pk]):
                yield name, ((engine.org.slug, *labels), value)


def _policies() -> dict[int, Policy]:
    """Return the policy of each engine, by the key of its organization."""
    current = ConfigVersion.objects.filter(number=F("org__engine__config_version"))
    return {version.org_id: policy_of(version) for version in current}


def _intake(slugs: Mapping[int, str], now: datetime) -> Iterator[tuple[str, Reading]]:
    waiting = {
        pk: (oldest, count)
        for pk, oldest, count in Intake.objects.values_list("org")
        .annotate(Min("created_at"), Count("pk"))
        .order_by()
    }
    for pk, slug in slugs.items():
        oldest, count = waiting.get(pk, (now, 0))
        yield "intake_oldest_seconds", ((slug,), max(0.0, (now - oldest).total_seconds()))
        yield "intake_requests", ((slug,), count)


@dataclass(slots=True)
class _Rows:
    """Rows of the queues of one organization, by queue."""

    used: defaultdict[str, dict[FlavorResource, int]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    running: dict[str, int] = field(default_factory=dict)
    demand: defaultdict[str, Demand] = field(default_factory=lambda: defaultdict(Demand))
    held: set[str] = field(default_factory=set)


def _queue_rows() -> defaultdict[int, _Rows]:
    """Return the rows of all organizations, by their keys."""
    found: defaultdict[int, _Rows] = defaultdict(_Rows)
    usage = Usage.objects.values_list("org", "queue", "flavor", "resource", "used")
    for org, queue, flavor, resource, amount in usage:
        found[org].used[queue][flavor, resource] = amount
    for org, queue, count in QueueCount.objects.values_list("org", "queue", "running"):
        found[org].running[queue] = count
    classes = PendingClass.objects.values_list("org", "queue", "reason", "requests", "count")
    for org, queue, *asked in classes:
        found[org].demand[queue].add(*asked)
    for org, queue in QueueHold.objects.values_list("org", "queue"):
        found[org].held.add(queue)
    return found


def _queues(policy: Policy, rows: _Rows) -> Iterator[tuple[str, Reading]]:
    for queue, asked in sorted(rows.demand.items()):
        for reason, count in sorted(asked.reasons.items()):
            yield "pending_workloads", ((queue, reason), count)
    busy = rows.used.keys() | {name for name, count in rows.running.items() if count}
    busy |= rows.demand.keys()
    capacity = load_discipline(policy.discipline).capacity(policy, rows.used)
    for name in [*policy.queues, *sorted(busy - policy.queues.keys())]:
        yield "admitted_active_workloads", ((name,), rows.running.get(name, 0))
        yield "queue_status", ((name, _status(policy, name, is_held=name in rows.held)), 1)
        yield from _cells(capacity, name, rows.demand[name])


def _status(policy: Policy, name: str, *, is_held: bool) -> str:
    queue = policy.queue(name)
    if queue is None:
        return "draining"
    if is_held:
        return "held"
    return "accepting" if queue.stop is StopPolicy.NONE else "stopped"


def _cells(capacity: Capacity, name: str, demand: Demand) -> Iterator[tuple[str, Reading]]:
    queue = capacity.policy.queue(name)
    cohort = (queue.parent if queue else None) or ""
    for usage in capacity.queue_nodes(name, demand.wanted, demand.cannot_run):
        labels = (cohort, name, usage.flavor, usage.resource)
        amounts: dict[str, Amount] = {
            "queue_resource_usage": usage.used,
            "queue_resource_borrowed": usage.borrowed,
            "queue_resource_lent": usage.lent,
            "queue_resource_demand": usage.demand,
            "queue_resource_cannot_run_demand": usage.cannot_run_demand,
            "queue_nominal_quota": usage.guaranteed,
            "queue_borrowing_limit": usage.amount("borrowing_limit"),
            "queue_lending_limit": usage.amount("lending_limit"),
        }
        for family, amount in amounts.items():
            yield family, (labels, _units(amount))


def _units(amount: Amount) -> float:
    """Return an amount in units of its resource, as the float that monitoring systems expect."""
    return float("inf") if isinstance(amount, Unlimited) else amount / 1000


def total_readings(*, by_queue: bool) -> Iterator[tuple[str, tuple[str, str], str, int]]:
    """
    Yield (metric, (organization, queue), label, value) of every total, by metric, then queue.

    Without *by_queue*, totals of the queues of an organization are summed under an empty queue.
    """
    place = ["org__slug", "queue"] if by_queue else ["org__slug"]
    rows = Total.objects.values_list("metric", *place, "label").annotate(Sum("value"))
    for metric, slug, *queue, label, value in rows.order_by("metric", *place, "label"):
        yield metric, (slug, queue[0] if queue else ""), label, value
