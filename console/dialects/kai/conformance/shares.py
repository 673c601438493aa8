"""Cases of shares and the order of siblings, each with the result of one function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any, Final

from console.dialects.conformance.differences import single, unknown_parts
from console.dialects.conformance.parts import objects_in, part
from console.dialects.conformance.result import Result, judged
from console.dialects.kai.conformance.case_values import (
    amounts_of,
    as_number,
    as_numbers,
    bounds_of,
    named_standing,
    read_bound,
    read_standing,
    read_standings,
    thousandths,
)
from console.dialects.kai.conformance.expectations import expect_single, same_amounts
from console.dialects.kai.conformance.runner import Runner
from console.dialects.kai.conformance.scenario import column, read_scenario, scenario_amounts
from console.engine.disciplines.fairshare.queue_order import Contender, compare
from console.engine.disciplines.fairshare.resources import Amounts, PerResource
from console.engine.disciplines.fairshare.standing import (
    Standing,
    allocatable,
    dominant_share,
    requestable,
)
from console.engine.model.amounts import SCALE


def _run_fair_share(name: str, case: Mapping[str, Any], engine: object) -> Result:
    expect = part(case, "expect", dict)
    _, found = read_scenario(part(case, "scenario", dict))

    def differences() -> Iterator[str]:
        yield from unknown_parts(expect, ("fair_share", "remaining"))
        for queue, shares in part(expect, "fair_share", dict).items():
            if queue not in found.shares:
                yield f"{queue} has no fair share, but is expected to have one."
                continue
            yield from same_amounts(f"the fair share of {queue}", shares, found.shares[queue])
        remaining = part(expect, "remaining", dict, {})
        yield from same_amounts("the rest", remaining, found.remaining)

    return judged(name, tuple(differences()))


def _run_queue_order(name: str, case: Mapping[str, Any], engine: object) -> Result:
    scenario = part(case, "scenario", dict)
    spec, found = read_scenario(scenario)
    total = scenario_amounts(part(scenario, "total", dict))
    queues = {each["id"]: each for each in objects_in(scenario, "queues")}

    def contender(side: str) -> Contender:
        words = part(case, side, dict)
        queue = spec.queues[part(words, "queue", str)]
        blocks = queues[queue.name]
        return Contender(
            standing=Standing(
                name=queue.name,
                priority=queue.priority,
                created=queue.created,
                quota=queue.quota,
                limit=queue.limit,
                fair_share=found.shares[queue.name],
                used=scenario_amounts(column(blocks, "alloc")),
                used_non_preemptible=scenario_amounts(column(blocks, "allocNP")),
            ),
            request=scenario_amounts(part(words, "request", dict)),
        )

    return _first_of(name, case, contender("left"), contender("right"), total)


def _run_queue_order_state(name: str, case: Mapping[str, Any], engine: object) -> Result:
    standings = read_standings(case)

    def contender(side: str) -> Contender:
        words = part(case, side, dict)
        return Contender(
            standing=named_standing(standings, part(words, "queue", str)),
            request=amounts_of(words, "request"),
        )

    total = amounts_of(case, "total")
    return _first_of(name, case, contender("left"), contender("right"), total)


def _first_of(
    name: str, case: Mapping[str, Any], left: Contender, right: Contender, total: Amounts
) -> Result:
    first = left if compare(left, right, total).is_left_first else right
    expect = part(case, "expect", dict)
    return expect_single(name, expect, "first", first.standing.name)


def _run_requestable(name: str, case: Mapping[str, Any], engine: object) -> Result:
    requested_amount = thousandths(case["request"], SCALE)
    found = requestable(read_bound(case["limit"], SCALE), requested_amount)
    return expect_single(name, part(case, "expect", dict), "requestable", as_number(found, SCALE))


def _run_allocatable(name: str, case: Mapping[str, Any], engine: object) -> Result:
    found = map(
        allocatable,
        bounds_of(case, "quota"),
        bounds_of(case, "limit"),
        bounds_of(case, "fair_share"),
    )
    expect = part(case, "expect", dict)
    return expect_single(name, expect, "allocatable", as_numbers(PerResource(*found)))


def _run_dominant_share(name: str, case: Mapping[str, Any], engine: object) -> Result:
    found = dominant_share(read_standing({**case, "name": "queue"}), amounts_of(case, "total"))
    expect = part(case, "expect", dict)
    differences = [*unknown_parts(expect, ("dominant_share",))]
    if not isclose(expect["dominant_share"], found, rel_tol=1e-9):
        differences += single("the dominant share", expect["dominant_share"], found)
    return judged(name, tuple(differences))


RUNNERS: Final[dict[str, Runner]] = {
    "kai_fair_share": _run_fair_share,
    "kai_queue_order": _run_queue_order,
    "kai_queue_order_state": _run_queue_order_state,
    "kai_requestable": _run_requestable,
    "kai_allocatable": _run_allocatable,
    "kai_dominant_share": _run_dominant_share,
}
