"""Native cases: a config and events, and the expected running and pending workloads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from console.dialects import dialects
from console.dialects.conformance.differences import named, names
from console.dialects.conformance.parts import MalformedCase
from console.dialects.conformance.result import Result, Verdict, judged
from console.dialects.conformance.settling import UnsettledError, cycles_until_settled
from console.engine.disciplines.quota.spec import spec_of
from console.engine.live.running import Running
from console.engine.model.amounts import parse_amount
from console.engine.model.decision import Decision, Outcome, merged_flavors
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from console.engine.state import State

#: The parts of a native case, besides id and type.
_PARTS = {"config": str, "events": list, "expect": dict}


@dataclass(frozen=True, slots=True)
class FinalState:
    """The state of all workloads after all events, in the terms of the native cases."""

    #: Name -> queue, priority and one flavor per resource group (None: not requested).
    admitted: Mapping[str, Mapping[str, Any]]
    #: Name -> queue and priority.
    pending: Mapping[str, Mapping[str, Any]]
    #: Name -> reason.
    rejected: Mapping[str, str]
    finished: frozenset[str]
    #: Name -> number of preemptions.
    preempted: Mapping[str, int]


def run_native(name: str, case: Mapping[str, Any]) -> Result:
    """
    Run one native case with the native dialect and the engine.

    Raises MalformedCase if a part of it is missing.
    """
    for each, form in _PARTS.items():
        if not isinstance(case.get(each), form):
            raise MalformedCase(f"native case {name} has no {each}")
    reading = dialects()["native"].read(case["config"], {})
    if reading.policy is None:
        return Result(
            name, Verdict.DIFFERS, tuple(dict.fromkeys(e.message for e in reading.errors))
        )
    try:
        final = apply_events(reading.policy, case["events"])
    except UnsettledError as error:
        return Result(name, Verdict.DIFFERS, (str(error),))
    return judged(name, tuple(_differences(case["expect"], final)))


def apply_events(policy: Policy, events: list[Mapping[str, Any]]) -> FinalState:
    """Apply *events* one after the other; victims stop immediately."""
    state = State(policy)
    rejected: dict[str, str] = {}
    finished: set[str] = set()
    preempted: Counter[str] = Counter()
    for sequence, event in enumerate(events, start=1):
        if "submit" in event:
            state.submit(_workload(event["submit"], sequence))
        elif state.finish(event["finish"]):
            finished.add(event["finish"])
        for decision in _settle(state):
            if decision.outcome is Outcome.REJECTED:
                rejected[decision.workload] = decision.reason
            elif decision.outcome is Outcome.PREEMPTED:
                preempted[decision.workload] += 1
    return FinalState(
        admitted={name: _admitted(policy, running) for name, running in state.running.items()},
        pending={
            name: {"queue": pending.route.queue, "priority": pending.route.priority}
            for name, pending in state.pending.items()
        },
        rejected=rejected,
        finished=frozenset(finished),
        preempted=preempted,
    )


def _settle(state: State) -> Iterator[Decision]:
    for _, made in cycles_until_settled(state):
        yield from made


def _workload(submitted: Mapping[str, Any], sequence: int) -> Workload:
    requests = {
        resource: parse_amount(str(amount)) for resource, amount in submitted["requests"].items()
    }
    return Workload(
        id=submitted["name"],
        sequence=sequence,
        labels=submitted["labels"],
        priority=submitted["priority"],
        pod_sets=(PodSet(requests=requests),),
    )


def _admitted(policy: Policy, running: Running) -> dict[str, Any]:
    groups = spec_of(policy).queues[running.queue].groups if running.queue is not None else ()
    given = merged_flavors(running.assignment)
    flavors = [
        next((given[resource] for resource in group.resources if resource in given), None)
        for group in groups
    ]
    return {"queue": running.queue, "priority": running.priority, "flavors": flavors}


def _differences(expect: Mapping[str, Any], final: FinalState) -> Iterator[str]:
    for what in ("admitted", "pending", "rejected", "preempted"):
        yield from named(what, expect.get(what, {}), getattr(final, what))
    yield from names("finished", expect.get("finished", ()), final.finished)


#: Type of a case -> its runner.
RUNNERS: Final = {"native": lambda name, case, engine: run_native(name, case)}
