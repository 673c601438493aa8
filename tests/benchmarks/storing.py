"""Size and duration of stored decisions when the last of 300 rules matches."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator

from console.engine.disciplines.quota.spec import (
    Flavor,
    FlavorQuotas,
    QueueSpec,
    Quota,
    ResourceGroup,
    quota_policy,
)
from console.engine.model.decision import Decision
from console.engine.model.policy import Policy
from console.engine.model.selectors import MatchExpression, Operator, Selector
from console.engine.model.stored_trace import trace_from_json, trace_to_json
from console.engine.model.trace import Trace
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.rule_routing import route_by, with_rules
from console.engine.routing.rules import Rule
from console.engine.state import State
from tests.benchmarks.measured import Measured

RULES, WORKLOADS = 300, 2_000


def run() -> Iterator[Measured]:
    """Store decisions without and with their rules, and read them back."""
    policy = _policy()
    decisions = _decided(policy)
    brief, took = _stored(decisions, lambda each: each.trace_without_rules)
    whole, took_whole = _stored(_decided(policy), lambda each: each.trace)
    start = time.perf_counter()
    read = [
        with_rules(trace_from_json(json.loads(text)), policy, each.rule)
        for text, each in zip(brief, decisions, strict=True)
    ]
    read_in = (time.perf_counter() - start) / WORKLOADS
    assert read == [trace_from_json(json.loads(text)) for text in whole]
    size, size_whole = (sum(map(len, texts)) / WORKLOADS for texts in (brief, whole))
    told = f"{RULES} rules"
    yield Measured(name=f"decision: stored, {told}", value=size, unit="bytes", at_most=1_500)
    yield Measured(name="decision: the same with its rules", value=size_whole, unit="bytes")
    yield Measured(name=f"decision: to store one, {told}", value=took * 1e6, unit="µs", at_most=500)
    yield Measured(name="decision: the same with its rules", value=took_whole * 1e6, unit="µs")
    yield Measured(
        name=f"decision: to read one, {told}", value=read_in * 1e3, unit="ms", at_most=10
    )


def _stored(
    decisions: list[Decision], trace: Callable[[Decision], Trace]
) -> tuple[list[str], float]:
    """Return the stored trace of each decision as text, and the seconds per trace."""
    start = time.perf_counter()
    texts = [json.dumps(trace_to_json(trace(each))) for each in decisions]
    return texts, (time.perf_counter() - start) / len(decisions)


def _decided(policy: Policy) -> list[Decision]:
    """Return decisions about workloads that the last rule matches, each with different labels."""
    state = State(policy)
    for number in range(WORKLOADS):
        labels = {"team": f"team-{RULES - 1}", "project": f"project-{number}"}
        pod_sets = (PodSet(requests={"gpu": 1000}),)
        state.submit(
            Workload(id=f"w{number}", sequence=number, labels=labels, priority=3, pod_sets=pod_sets)
        )
    decisions = state.settle()
    assert len(decisions) == WORKLOADS
    return decisions


def _policy() -> Policy:
    group = ResourceGroup(
        resources=("gpu",),
        flavors=(FlavorQuotas(flavor="any", quotas={"gpu": Quota(nominal=WORKLOADS * 1000)}),),
    )
    return quota_policy(
        "native",
        flavors={"any": Flavor(name="any")},
        queues={"train": QueueSpec(name="train", groups=(group,))},
        routing=route_by(_rule(number) for number in range(RULES)),
    )


def _rule(number: int) -> Rule:
    """Return the rule of one team."""
    asks = MatchExpression(key="team", operator=Operator.IN, values=(f"team-{number}",))
    return Rule(index=number, queue="train", selector=Selector(expressions=(asks,)))
