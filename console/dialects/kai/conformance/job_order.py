"""Cases of the order in which jobs, or victims, are taken, while nothing starts or ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from console.dialects.conformance.parts import choice, objects_in, part
from console.dialects.conformance.result import Result
from console.dialects.kai.conformance.case_values import MEGABYTE_UNITS, read_spec, read_vector
from console.dialects.kai.conformance.expectations import expect_single
from console.dialects.kai.conformance.runner import Runner
from console.engine.disciplines.fairshare.fair_share import FairShareTree
from console.engine.disciplines.fairshare.gangs import (
    Pod,
    PodGroup,
    PodState,
    requested,
    start_unit,
)
from console.engine.disciplines.fairshare.resources import NOTHING, Amounts, plus
from console.engine.disciplines.fairshare.session import Job
from console.engine.disciplines.fairshare.spec import FairshareSpec
from console.engine.disciplines.fairshare.standing import Standing
from console.engine.disciplines.fairshare.turn_order import TurnOrder, turn_path

#: States of pods that use capacity.
_RUNNING: Final = frozenset({"running", "binding"})

#: Whether a word asks for the order of victims.
_MODES: Final = {"next": False, "victim": True}


def _run_job_order(name: str, case: Mapping[str, Any], engine: object) -> Result:
    order = _order(case, are_victims=choice(case, "mode", _MODES, "next"))
    return expect_single(name, part(case, "expect", dict), "order", [each.name for each in order])


def _order(case: Mapping[str, Any], *, are_victims: bool) -> Iterator[Job]:
    """Yield the jobs in the order of their turns, or in the order in which they are preempted."""
    spec = read_spec(case, MEGABYTE_UNITS)
    tree, jobs = spec.tree, [_job(each) for each in objects_in(case, "jobs")]
    paths = {name: turn_path(spec, name) for name in tree.members if not tree.children(name)}
    by_queue: dict[str, list[Job]] = {}
    for job in jobs:
        by_queue.setdefault(job.queue, []).append(job)
    total = NOTHING
    for node in objects_in(case, "nodes"):
        total = plus(total, read_vector(node, MEGABYTE_UNITS))
    order = TurnOrder(
        by_queue,
        paths=paths,
        standings=_standings_of(spec, [each for each in jobs if each.queue in paths], total),
        total=total,
        place_of=lambda job: job.precedence,
        request_of=_used if are_victims else _next_request,
        is_reversed=are_victims,
    )
    while (found := order.pop()) is not None:
        yield found


def _standings_of(spec: FairshareSpec, jobs: list[Job], total: Amounts) -> dict[str, Standing]:
    """Return how all queues stand with these jobs."""
    used = dict.fromkeys(spec.tree.members, NOTHING)
    non_preemptible, asked = dict(used), dict(used)
    for job in jobs:
        running = _used(job)
        for name in spec.tree.path(job.queue):
            used[name] = plus(used[name], running)
            asked[name] = plus(asked[name], requested(job.pods))
            if not job.is_preemptible:
                non_preemptible[name] = plus(non_preemptible[name], running)
    shares = FairShareTree(spec.tree).compute(total, asked, k_value=0.0).shares
    return {
        name: Standing(
            name=name,
            priority=spec.queues[name].priority,
            created=spec.queues[name].created,
            quota=spec.queues[name].quota,
            limit=spec.queues[name].limit,
            fair_share=shares[name],
            used=used[name],
            used_non_preemptible=non_preemptible[name],
        )
        for name in spec.tree.members
    }


def _used(job: Job) -> Amounts:
    return requested(each for each in job.pods if each.is_active)


def _next_request(job: Job) -> Amounts:
    return requested(start_unit(job.groups))


def _job(words: Mapping[str, Any]) -> Job:
    pods = [
        Pod(
            name=part(each, "name", str),
            request=read_vector(part(each, "requests", dict), MEGABYTE_UNITS),
            priority=each.get("task_priority"),
            created=place,
            state=PodState.RUNNING if part(each, "state", str) in _RUNNING else PodState.PENDING,
        )
        for place, each in enumerate(objects_in(words, "pods"))
    ]
    return Job(
        name=part(words, "name", str),
        queue=part(words, "queue", str),
        priority=part(words, "priority", int),
        is_preemptible=part(words, "preemptible", bool),
        created=part(words, "created", int, 0),
        groups=[PodGroup(minimum=part(words, "min_member", int), pods=pods)],
    )


RUNNERS: Final[dict[str, Runner]] = {"kai_job_order": _run_job_order}
