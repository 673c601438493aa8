"""Explanations of all workloads with one reason, grouped by cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Sum

from console.engine.explain import Sentence, headline_of, mentioned
from console.engine.model.decision import Outcome
from console.engine.model.trace import Trace
from console.orgs.permissions import Actor
from console.policies.queries import NO_POLICY, active_policy
from console.workloads.advice import is_tried_again
from console.workloads.disclosure import disclose, for_reader
from console.workloads.explanations import Explained, explain_traces, explain_workloads
from console.workloads.fixes import accepting_changes
from console.workloads.models import Decision, PendingClass, State, Workload
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.groups import Total, count_workloads
from console.workloads.queries.listing import list_workloads
from console.workloads.stored_decisions import traces_of

#: Maximum number of causes that are explained, and that are listed; the largest ones.
MOST_EXPLAINED, MOST_LISTED = 3, 20

#: Maximum number of workloads that are not pending whose decisions are read; the newest ones.
MOST_READ = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Workloads that have the reason for the same cause, with one of them as an example."""

    example: Workload
    count: int
    #: The explanation of the example.
    explained: Explained
    #: Changes that would make the config accept a rejected example.
    fixes: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingKind:
    """Equal pending workloads, in numbers."""

    queue: str
    priority: int
    requests: Mapping[str, int]
    #: What is short, in thousandths by "flavor/resource".
    missing: Mapping[str, int]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonCauses:
    """The causes of one reason, in one queue or in all queues."""

    reason: str
    queue: str | None
    total: Total
    #: The largest causes; of workloads that are not pending, among the newest `MOST_READ`.
    causes: tuple[Cause, ...]
    #: Further kinds of pending workloads, and the total number of kinds.
    others: tuple[PendingKind, ...]
    kinds: int
    is_waiting: bool


def explain_reason(actor: Actor, reason: str, queue: str | None = None) -> ReasonCauses:
    """
    Return the causes of *reason*, in *queue* or in all queues.

    Pending workloads of a class are equal, so only one workload of a class is explained.
    """
    classes = PendingClass.objects.filter(org=actor.org, reason=reason)
    if queue is not None:
        classes = classes.filter(queue=queue)
    sums = classes.aggregate(count=Sum("count"), kinds=Count("pk"))
    if not sums["count"]:
        return _causes_of_decided(actor, reason, queue)
    largest = list(classes.order_by("-count", "key")[:MOST_LISTED])
    examples = [
        (each, found) for each in largest[:MOST_EXPLAINED] if (found := _first_member(each))
    ]
    explained = explain_workloads(actor.org, [example for _, example in examples])
    causes = [
        Cause(example=example, count=each.count, explained=for_reader(actor, why))
        for (each, example), why in zip(examples, explained, strict=True)
    ]
    return ReasonCauses(
        reason=reason,
        queue=queue,
        total=Total(sums["count"], is_exact=True),
        causes=tuple(causes),
        others=tuple(_pending_kind(each) for each in largest[MOST_EXPLAINED:]),
        kinds=sums["kinds"],
        is_waiting=True,
    )


def _first_member(each: PendingClass) -> Workload | None:
    members = Workload.objects.filter(org=each.org_id, pending_class=each.key)
    return members.select_related("label_set").order_by("pk").first()


def _causes_of_decided(actor: Actor, reason: str, queue: str | None) -> ReasonCauses:
    conditions = WorkloadFilter(reason=reason, queue=queue)
    newest = list_workloads(actor.org, conditions, MOST_READ).results
    decisions = _last_decisions(newest, reason)
    decided = {decisions[each.pk].pk: each for each in newest if each.pk in decisions}
    traces = list(traces_of(actor.org, [decisions[each.pk] for each in decided.values()]))
    names = disclose(actor, (uid for _, trace in traces for uid in mentioned(trace))).names
    causes: dict[str, list[tuple[Decision, Trace]]] = {}
    for decision, trace in traces:
        causes.setdefault(headline_of(trace, names), []).append((decision, trace))
    largest = sorted(causes.values(), key=lambda found: -len(found))[:MOST_EXPLAINED]
    explained = explain_traces(found[0] for found in largest)
    examples = [decided[found[0][0].pk] for found in largest]
    is_any_rejected = any(each.state == State.REJECTED for each in examples)
    policy = active_policy(actor.org) if is_any_rejected else NO_POLICY
    return ReasonCauses(
        reason=reason,
        queue=queue,
        total=count_workloads(actor.org, conditions),
        causes=tuple(
            Cause(
                example=example,
                count=len(found),
                explained=for_reader(actor, why),
                fixes=()
                if is_tried_again(example)
                else tuple(sentence for _, sentence in accepting_changes(policy, example)),
            )
            for found, example, why in zip(largest, examples, explained, strict=True)
        ),
        others=(),
        kinds=len(causes),
        is_waiting=False,
    )


def _last_decisions(workloads: list[Workload], reason: str) -> dict[int, Decision]:
    """Return the newest decision with *reason* about each of *workloads*, by key."""
    rows = Decision.objects.filter(workload__in=[each.pk for each in workloads], reason=reason)
    return {row.workload_id: row for row in rows.exclude(outcome=Outcome.PENDING).order_by("pk")}


def _pending_kind(each: PendingClass) -> PendingKind:
    return PendingKind(
        queue=each.queue,
        priority=each.priority,
        requests=each.requests,
        missing=each.missing,
        count=each.count,
    )
