"""Consistency checks of the rows of a product; runs in a process with the product's settings."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator

from console.orgs.models import Organization
from console.workloads.lease import read_engine_row
from console.workloads.models import (
    Decision,
    Engine,
    Event,
    QueueCount,
    State,
    Usage,
    Workload,
)
from console.workloads.services.load_state import load_state

#: The event types of each outcome; a pending decision is recorded as queued or requeued.
EVENTS = {
    "admitted": {"REQUEST_ADMITTED"},
    "rejected": {"REQUEST_REJECTED"},
    "preempted": {"REQUEST_PREEMPTED"},
    "pending": {"REQUEST_QUEUED", "REQUEST_REQUEUED"},
}

_HOLDING = (State.ADMITTED, State.PREEMPTING)


def findings(org: Organization) -> Iterator[str]:
    """Yield the inconsistencies between engine, usage, counts, decisions and events."""
    engine = Engine.objects.get(org=org)
    state = load_state(org, engine.config_version)
    again = state.settle()
    if again:
        yield f"a state rebuilt from rows decides {len(again)} times more: {again[:3]}"
    written: Counter[tuple[str, str, str]] = Counter()
    for row in Usage.objects.filter(org=org):
        written[row.queue, row.flavor, row.resource] += row.used
    summed: Counter[tuple[str, str, str]] = Counter()
    running = Workload.objects.filter(org=org, state__in=_HOLDING)
    for queue, assignment, requests in running.values_list("queue", "assignment", "requests"):
        # Each workload has one pod set of one pod.
        for pod_set in assignment:
            for resource, flavor in pod_set["flavors"].items():
                summed[queue or "", flavor, resource] += requests[resource]
    rebuilt = Counter(
        {
            (name, *place): used
            for name in state.queues
            for place, used in state.usage(name).items()
            if used
        }
    )
    if not +written == +summed == +rebuilt:
        yield f"usage is written as {written}, is in rows {summed}, and rebuilt {rebuilt}"
    yield from _miscounted(org, engine)
    decided = Counter(Decision.objects.filter(org=org).values_list("outcome", flat=True).order_by())
    told = Counter(Event.objects.filter(org=org).values_list("type", flat=True).order_by())
    for outcome, types in EVENTS.items():
        count = sum(told[each] for each in types)
        if count != decided[outcome]:
            yield f"{decided[outcome]} decisions are {outcome}, and {count} events record it"
    finished = Workload.objects.filter(org=org, state=State.FINISHED).count()
    if told["REQUEST_FULFILLED"] != finished:
        yield f"{finished} finished, and {told['REQUEST_FULFILLED']} events record it"


def _miscounted(org: Organization, engine: Engine) -> Iterator[str]:
    rows = Counter(Workload.objects.filter(org=org).values_list("state", flat=True).order_by())
    if +Counter(engine.counts) != rows:
        yield f"the engine counts {engine.counts}, and rows are {rows}"
    for count in QueueCount.objects.filter(org=org):
        own = Workload.objects.filter(org=org, queue=count.queue)
        running = own.filter(state__in=_HOLDING).count()
        pending = own.filter(state=State.PENDING).count()
        if (count.running, count.pending) != (running, pending):
            yield f"{count}, and rows are {running} and {pending}"


def main(slug: str, patience: float) -> None:
    """
    Wait until the workers have no work left, and print the findings as a JSON list of sentences.

    Raise AssertionError when there is work left after *patience* seconds.
    """
    org = Organization.objects.get(slug=slug)
    deadline = time.monotonic() + patience
    while read_engine_row(org.pk).has_work:
        assert time.monotonic() < deadline, f"work is left after {patience} s"
        time.sleep(0.1)
    print(json.dumps(list(findings(org))))
