"""Reach: queues that no rule fills, and recorded workloads that reach no queue."""

from __future__ import annotations

from collections.abc import Collection

from console.dialects.findings import Findings, Place
from console.dialects.lints.codes import QUEUE_UNREACHED, RECORDED_WITHOUT_RULE
from console.dialects.lints.wording import describe_kind, quoted, window, workloads
from console.dialects.place_finder import START, PlaceFinder
from console.dialects.routed_history import RoutedHistory
from console.engine.model.policy import Policy
from console.engine.routing.local_queues import local_routing_of
from console.engine.routing.regions import region_of
from console.engine.routing.rule_routing import rules_of


def lint_queues(
    policy: Policy, shadowed: Collection[int], places: PlaceFinder, findings: Findings
) -> None:
    """Report queues that no rule routes to, or only rules that never match first."""
    rules = rules_of(policy)
    if not rules:
        return
    named = {rule.queue for rule in rules}
    filled = {
        rule.queue for rule in rules if rule.index not in shadowed and region_of(rule) is not None
    }
    for queue in policy.queues.values():
        if queue.name not in filled:
            what = "No rule that routes to" if queue.name in named else "No rule routes to"
            ever = " ever matches a workload" if queue.name in named else ""
            findings.add(
                QUEUE_UNREACHED,
                places.name(queue.origin, queue.name),
                f"{what} queue {quoted(queue.name)}{ever}, so it gets no workload.",
                "Add a rule that routes to it, or remove it.",
            )


def lint_unrouted(
    policy: Policy, past: RoutedHistory, places: PlaceFinder, findings: Findings
) -> None:
    """Report how many recorded workloads would reach no queue."""
    unrouted = past.unrouted()
    if not unrouted:
        return
    runs = sum(kind.runs for kind in unrouted)
    share = f"{runs:,} of the {workloads(past.history.runs)} of {window(past)}"
    example = describe_kind(max(unrouted, key=lambda kind: kind.runs))
    rules = rules_of(policy)
    if rules:
        last = rules[-1]
        findings.add(
            RECORDED_WITHOUT_RULE,
            places.reference(last.origin, last.queue),
            f"No rule matches {share}: a similar workload would be rejected. "
            f"The most frequent had {example}.",
            "Add a last rule that has no selector, or a rule for them.",
        )
        return
    if all(kind.is_rejected for kind in unrouted):
        findings.add(
            RECORDED_WITHOUT_RULE,
            START,
            f"The config has no queue for {share}: a similar workload would be rejected. "
            f"The most frequent had {example}.",
            "Add a placement rule for them, or access to the queues that they name.",
        )
        return
    if local_routing_of(policy) is None:
        findings.add(
            RECORDED_WITHOUT_RULE,
            START,
            f"The config does not have the queue that {share} name: a similar workload would wait "
            f"forever. The most frequent had {example}.",
            "Add the queues that they name.",
        )
        return
    findings.add(
        RECORDED_WITHOUT_RULE,
        _first_local_queue(policy, places),
        f"No local queue routes {share} to a queue that admits them: a similar workload "
        f"would wait forever. The most frequent had {example}.",
        "Add the local queues that they name.",
    )


def _first_local_queue(policy: Policy, places: PlaceFinder) -> Place:
    routing = local_routing_of(policy)
    for local in routing.local_queues.values() if routing is not None else ():
        return places.name(local.origin, local.name)
    return START
