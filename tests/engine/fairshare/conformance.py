"""Cases of KAI's own rules: shares, orders, gates and reclaims, each of one function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import isclose
from typing import Any, Final

from console.dialects.conformance.differences import single, unknown_parts
from console.dialects.conformance.parts import MalformedCase, choice, objects_in, part
from console.dialects.conformance.result import Result, judged
from console.engine.disciplines.fairshare.fair_share import FairShares, FairShareTree
from console.engine.disciplines.fairshare.gangs import (
    Pod,
    PodGroup,
    PodState,
    elasticity,
    requested,
    start_unit,
)
from console.engine.disciplines.fairshare.gates import (
    Gate,
    limit_refusal,
    quota_refusal,
    refusal,
)
from console.engine.disciplines.fairshare.min_runtime import (
    MinRuntimes,
    is_protected,
    may_be_considered,
    may_lose,
)
from console.engine.disciplines.fairshare.queue_order import Contender, compare
from console.engine.disciplines.fairshare.reclaim import (
    Loss,
    ReclaimCheck,
    Reclaimer,
    exceeds_entitlement,
    may_try,
    serves_quota,
)
from console.engine.disciplines.fairshare.resources import (
    NOTHING,
    RESOURCES,
    Amounts,
    Bounds,
    PerResource,
    plus,
)
from console.engine.disciplines.fairshare.spec import (
    DEFAULT_PRIORITY,
    FairQueue,
    FairshareSpec,
    ReclaimMethod,
    Settings,
)
from console.engine.disciplines.fairshare.standing import (
    Standing,
    allocatable,
    dominant_share,
    requestable,
)
from console.engine.disciplines.fairshare.turns import Turns
from console.engine.disciplines.fairshare.workload_order import Precedence
from console.engine.model.amounts import SCALE, UNLIMITED, Amount, Unlimited

#: The word for no bound in cases.
_UNLIMITED: Final = -1

#: Thousandths in a unit of cases: millicores, bytes, devices.
_UNITS: Final = PerResource(1, SCALE, SCALE)

#: The same where cases have megabytes.
_MEGABYTE_UNITS: Final = PerResource(1, SCALE * 10**6, SCALE)

#: Names of the resources in scenarios.
_SCENARIO_NAMES: Final = PerResource("cpu", "mem", "gpu")

#: A queue of a scenario without a block for a resource.
_SCENARIO_DEFAULTS: Final = {"quota": _UNLIMITED, "limit": _UNLIMITED, "weight": 1, "request": 0}

_GATES: Final = {Gate.LIMIT: "OverLimit", Gate.QUOTA: "NonPreemptibleOverQuota"}

#: States of pods that use capacity.
_RUNNING: Final = frozenset({"running", "binding"})


def _run_fair_share(name: str, case: Mapping[str, Any], engine: object) -> Result:
    expect = part(case, "expect", dict)
    _, found = _scenario(part(case, "scenario", dict))

    def differences() -> Iterator[str]:
        yield from unknown_parts(expect, ("fair_share", "remaining"))
        for queue, shares in part(expect, "fair_share", dict).items():
            if queue not in found.shares:
                yield f"{queue} has no fair share, but is expected to have one."
                continue
            yield from _amounts(f"the fair share of {queue}", shares, found.shares[queue])
        remaining = part(expect, "remaining", dict, {})
        yield from _amounts("the rest", remaining, found.remaining)

    return judged(name, tuple(differences()))


def _run_queue_order(name: str, case: Mapping[str, Any], engine: object) -> Result:
    scenario = part(case, "scenario", dict)
    spec, found = _scenario(scenario)
    total = _scenario_amounts(part(scenario, "total", dict))
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
                used=_scenario_amounts(_column(blocks, "alloc")),
                used_non_preemptible=_scenario_amounts(_column(blocks, "allocNP")),
            ),
            request=_scenario_amounts(part(words, "request", dict)),
        )

    return _first_of(name, case, contender("left"), contender("right"), total)


def _run_queue_order_state(name: str, case: Mapping[str, Any], engine: object) -> Result:
    standings = _standings(case)

    def contender(side: str) -> Contender:
        words = part(case, side, dict)
        return Contender(
            standing=_named(standings, part(words, "queue", str)),
            request=_amounts_of(words, "request"),
        )

    total = _amounts_of(case, "total")
    return _first_of(name, case, contender("left"), contender("right"), total)


def _first_of(
    name: str, case: Mapping[str, Any], left: Contender, right: Contender, total: Amounts
) -> Result:
    first = left if compare(left, right, total).is_left_first else right
    expect = part(case, "expect", dict)
    return _single(name, expect, "first", first.standing.name)


def _run_requestable(name: str, case: Mapping[str, Any], engine: object) -> Result:
    requested_amount = _thousandths(case["request"], SCALE)
    found = requestable(_bound(case["limit"], SCALE), requested_amount)
    return _single(name, part(case, "expect", dict), "requestable", _number(found, SCALE))


def _run_allocatable(name: str, case: Mapping[str, Any], engine: object) -> Result:
    found = map(
        allocatable,
        _bounds_of(case, "quota"),
        _bounds_of(case, "limit"),
        _bounds_of(case, "fair_share"),
    )
    expect = part(case, "expect", dict)
    return _single(name, expect, "allocatable", _numbers(PerResource(*found)))


def _run_dominant_share(name: str, case: Mapping[str, Any], engine: object) -> Result:
    found = dominant_share(_standing({**case, "name": "queue"}), _amounts_of(case, "total"))
    expect = part(case, "expect", dict)
    differences = [*unknown_parts(expect, ("dominant_share",))]
    if not isclose(expect["dominant_share"], found, rel_tol=1e-9):
        differences += single("the dominant share", expect["dominant_share"], found)
    return judged(name, tuple(differences))


def _run_capacity(name: str, case: Mapping[str, Any], engine: object) -> Result:
    standings, tree = _standings(case), _spec(case).tree
    job = part(case, "job", dict)
    path = [standings[each] for each in tree.path(part(job, "queue", str))]
    request, is_preemptible = _amounts_of(job, "request"), part(job, "preemptible", bool)
    checks = {
        "start": lambda: refusal(path, request, is_preemptible=is_preemptible),
        "limit": lambda: limit_refusal(path, request),
        "quota": lambda: None if is_preemptible else quota_refusal(path, request),
    }
    refused = choice(case, "check", checks, "start")()
    found: dict[str, object] = {"allowed": refused is None}
    if refused is not None:
        found |= {
            "reason": _GATES[refused.gate],
            "queue": refused.queue,
            "resource": refused.resource,
        }
    return judged(name, tuple(single("the decision", part(case, "expect", dict), found)))


def _run_may_try_reclaim(name: str, case: Mapping[str, Any], engine: object) -> Result:
    reclaimer = _reclaimer(case)
    refused = may_try(_named(_standings(case), reclaimer.queue), reclaimer)
    return _allowed(name, case, is_allowed=refused is None)


def _run_reclaim_strategy(name: str, case: Mapping[str, Any], engine: object) -> Result:
    standings, reclaimer = _standings(case), _reclaimer(case)
    victim, remaining = _named(standings, part(case, "victim", str)), _amounts_of(case, "remaining")
    strategies = {
        "maintain_fair_share": lambda: exceeds_entitlement(remaining, victim),
        "guarantee_quota": lambda: serves_quota(
            _named(standings, reclaimer.queue), reclaimer.request, remaining, victim
        ),
    }
    return _allowed(name, case, is_allowed=choice(case, "strategy", strategies, "")())


def _run_reclaim_valid(name: str, case: Mapping[str, Any], engine: object) -> Result:
    check = ReclaimCheck(
        tree=_spec(case).tree,
        standings=_standings(case),
        saturation_multiplier=max(Fraction(1), Fraction(str(case["saturation_multiplier"]))),
    )
    losses = [
        Loss(
            queue=part(each, "queue", str),
            chunks=[_vector(chunk, _UNITS) for chunk in part(each, "chunks", list)],
        )
        for each in objects_in(case, "losses")
    ]
    return _allowed(name, case, is_allowed=check.refusal(_reclaimer(case), losses) is None)


def _run_min_runtime(name: str, case: Mapping[str, Any], engine: object) -> Result:
    found = _min_runtime(case, part(case, "victim_queue", str))
    return _single(name, part(case, "expect", dict), "min_runtime_s", found / 1000)


def _run_protected(name: str, case: Mapping[str, Any], engine: object) -> Result:
    victim = part(case, "victim", dict)
    ago = victim.get("last_start_s_ago")
    now = 10**9
    protected = is_protected(
        None if ago is None else now - round(ago * 1000),
        _min_runtime(case, part(victim, "queue", str)),
        now,
    )
    running, minimum = part(victim, "running_pods", int), part(victim, "min_member", int)
    lost = part(victim, "lost_pods", int, 0)
    questions = {
        "candidate": lambda: may_be_considered(running, minimum, protected=protected),
        "loss": lambda: may_lose(running, lost, minimum, protected=protected),
    }
    return _allowed(name, case, is_allowed=choice(case, "question", questions, "candidate")())


def _min_runtime(case: Mapping[str, Any], victim: str) -> int:
    """Return the minimum runtime of a victim in the queue *victim*, in milliseconds."""
    runtimes = MinRuntimes(
        tree=_spec(case).tree,
        settings=Settings(
            preempt_min_runtime=_milliseconds(case.get("default_preempt_s")) or 0,
            reclaim_min_runtime=_milliseconds(case.get("default_reclaim_s")) or 0,
            reclaim_method=ReclaimMethod(part(case, "method", str, "lca")),
        ),
    )
    kinds = {
        "preempt": lambda: runtimes.within_queue(victim),
        "reclaim": lambda: runtimes.across_queues(part(case, "pending_queue", str), victim),
    }
    return choice(case, "kind", kinds, "")()


def _run_job_order(name: str, case: Mapping[str, Any], engine: object) -> Result:
    order = _JobOrder(case)
    orders = {"next": order.next, "victim": order.victims}
    return _single(
        name, part(case, "expect", dict), "order", list(choice(case, "mode", orders, "next")())
    )


class _JobOrder:
    """The order in which jobs of a case are taken, while nothing starts or ends."""

    def __init__(self, case: Mapping[str, Any]) -> None:
        self._tree = _spec(case, _MEGABYTE_UNITS).tree
        self._groups: dict[str, PodGroup] = {}
        self._waiting: dict[str, list[Precedence]] = {}
        used = dict.fromkeys(self._tree.members, NOTHING)
        non_preemptible, asked = dict(used), dict(used)
        for job in objects_in(case, "jobs"):
            queue = part(job, "queue", str)
            if queue not in self._tree.members or self._tree.children(queue):
                continue
            group = self._add(job)
            running, pending = requested(group.active), requested(group.waiting)
            for above in self._tree.path(queue):
                used[above] = plus(used[above], running)
                asked[above] = plus(asked[above], plus(running, pending))
                if not part(job, "preemptible", bool):
                    non_preemptible[above] = plus(non_preemptible[above], running)
        for waiting in self._waiting.values():
            waiting.sort(key=Precedence.key)
        total = NOTHING
        for node in objects_in(case, "nodes"):
            total = plus(total, _vector(node, _MEGABYTE_UNITS))
        shares = FairShareTree(self._tree).compute(total, asked, k_value=0.0).shares
        self._turns = Turns(
            tree=self._tree,
            total=total,
            standings={
                name: Standing(
                    name=name,
                    priority=queue.priority,
                    created=queue.created,
                    quota=queue.quota,
                    limit=queue.limit,
                    fair_share=shares[name],
                    used=used[name],
                    used_non_preemptible=non_preemptible[name],
                )
                for name, queue in self._tree.queues.items()
                if name in self._tree.members
            },
        )

    def _add(self, job: Mapping[str, Any]) -> PodGroup:
        name = part(job, "name", str)
        pods = [
            Pod(
                name=part(each, "name", str),
                request=_vector(part(each, "requests", dict), _MEGABYTE_UNITS),
                priority=each.get("task_priority"),
                created=place,
                state=PodState.RUNNING
                if part(each, "state", str) in _RUNNING
                else PodState.PENDING,
            )
            for place, each in enumerate(objects_in(job, "pods"))
        ]
        group = PodGroup(minimum=part(job, "min_member", int), pods=pods)
        self._groups[name] = group
        self._waiting.setdefault(part(job, "queue", str), []).append(
            Precedence(
                priority=part(job, "priority", int),
                elasticity=elasticity([group]),
                created=part(job, "created", int, 0),
                id=name,
            )
        )
        return group

    def next(self) -> Iterator[str]:
        """Yield the jobs in the order in which they get turns."""
        while any(self._waiting.values()):
            requests = {
                queue: requested(start_unit([self._groups[jobs[0].id]]))
                for queue, jobs in self._waiting.items()
                if jobs
            }
            queue = self._turns.next(requests)
            assert queue is not None
            yield self._waiting[queue].pop(0).id

    def victims(self) -> Iterator[str]:
        """Yield the jobs in the order in which they are preempted."""
        taken: dict[str, Amounts] = {}
        while any(self._waiting.values()):
            candidates = {
                queue: requested(self._groups[jobs[-1].id].active)
                for queue, jobs in self._waiting.items()
                if jobs
            }
            queue = self._turns.next_victim(candidates, taken)
            assert queue is not None
            taken[queue] = plus(taken.get(queue, NOTHING), candidates[queue])
            yield self._waiting[queue].pop().id


def _scenario(scenario: Mapping[str, Any]) -> tuple[FairshareSpec, FairShares]:
    """Return the queues of a scenario and their fair shares."""
    queues, requests, usage = {}, {}, {}
    for each in objects_in(scenario, "queues"):
        name = part(each, "id", str)
        queues[name] = FairQueue(
            name=name,
            parent=each.get("parent") or None,
            priority=part(each, "prio", int, DEFAULT_PRIORITY),
            created=part(each, "created", int),
            quota=_scenario_bounds(_column(each, "quota")),
            limit=_scenario_bounds(_column(each, "limit")),
            weight=PerResource(*map(float, _column(each, "weight").values())),
        )
        requests[name] = _scenario_amounts(_column(each, "request"))
        usage[name] = PerResource(*map(float, _column(each, "usage").values()))
    spec = FairshareSpec(queues=queues)
    found = FairShareTree(spec.tree).compute(
        _scenario_amounts(part(scenario, "total", dict)),
        requests,
        k_value=float(scenario["k"]),
        usage=usage,
    )
    return spec, found


def _column(queue: Mapping[str, Any], name: str) -> dict[str, float]:
    """Return one number of each resource of a queue."""
    default = _SCENARIO_DEFAULTS.get(name, 0)
    return {each: part(queue, each, dict, {}).get(name, default) for each in _SCENARIO_NAMES}


def _scenario_amounts(values: Mapping[str, float]) -> Amounts:
    return PerResource(
        *(
            _thousandths(values.get(each, 0), unit)
            for each, unit in zip(_SCENARIO_NAMES, _UNITS, strict=True)
        )
    )


def _scenario_bounds(values: Mapping[str, float]) -> Bounds:
    return PerResource(
        *(_bound(values[each], unit) for each, unit in zip(_SCENARIO_NAMES, _UNITS, strict=True))
    )


def _spec(case: Mapping[str, Any], units: PerResource[int] = _UNITS) -> FairshareSpec:
    """Return the queues of a case that lists them."""
    queues = {}
    for each in objects_in(case, "queues"):
        name = part(each, "name", str)
        queues[name] = FairQueue(
            name=name,
            parent=each.get("parent") or None,
            priority=part(each, "priority", int, DEFAULT_PRIORITY),
            created=part(each, "created", int, 0),
            quota=_bounds_of(each, "quota", units),
            limit=_bounds_of(each, "limit", units),
            weight=PerResource(
                *(float(part(each, "weight", dict, {}).get(name, 0)) for name in RESOURCES)
            ),
            preempt_min_runtime=_milliseconds(each.get("preempt_min_runtime_s")),
            reclaim_min_runtime=_milliseconds(each.get("reclaim_min_runtime_s")),
        )
    return FairshareSpec(queues=queues)


def _standings(case: Mapping[str, Any]) -> dict[str, Standing]:
    return {part(each, "name", str): _standing(each) for each in objects_in(case, "queues")}


def _standing(values: Mapping[str, Any]) -> Standing:
    return Standing(
        name=part(values, "name", str),
        priority=part(values, "priority", int, DEFAULT_PRIORITY),
        created=part(values, "created", int, 0),
        quota=_bounds_of(values, "quota"),
        limit=_bounds_of(values, "limit"),
        fair_share=_bounds_of(values, "fair_share"),
        used=_amounts_of(values, "allocated"),
        used_non_preemptible=_amounts_of(values, "allocated_np"),
    )


def _named(standings: Mapping[str, Standing], name: str) -> Standing:
    if name not in standings:
        raise MalformedCase(f"queues has no {name!r}")
    return standings[name]


def _reclaimer(case: Mapping[str, Any]) -> Reclaimer:
    words = part(case, "reclaimer", dict)
    return Reclaimer(
        queue=part(words, "queue", str),
        request=_amounts_of(words, "request"),
        is_preemptible=part(words, "preemptible", bool, default=True),
    )


def _amounts_of(values: Mapping[str, Any], name: str) -> Amounts:
    return _vector(part(values, name, dict, {}), _UNITS)


def _vector(values: Mapping[str, float], units: PerResource[int]) -> Amounts:
    return PerResource(
        *(
            _thousandths(values.get(each, 0), unit)
            for each, unit in zip(RESOURCES, units, strict=True)
        )
    )


def _bounds_of(values: Mapping[str, Any], name: str, units: PerResource[int] = _UNITS) -> Bounds:
    found = part(values, name, dict, {})
    return PerResource(
        *(_bound(found.get(each, 0), unit) for each, unit in zip(RESOURCES, units, strict=True))
    )


def _bound(value: float, unit: int) -> Amount:
    return UNLIMITED if value == _UNLIMITED else _thousandths(value, unit)


def _thousandths(value: float, unit: int) -> int:
    """Return *value* in thousandths; a case may have more decimals, which are rounded."""
    return round(Fraction(str(value)) * unit)


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)


def _number(amount: Amount, unit: int) -> float:
    return _UNLIMITED if isinstance(amount, Unlimited) else amount / unit


def _numbers(amounts: Bounds) -> dict[str, float]:
    return {
        name: _number(amount, unit)
        for name, amount, unit in zip(RESOURCES, amounts, _UNITS, strict=True)
    }


def _amounts(what: str, expect: Mapping[str, float], found: Amounts) -> Iterator[str]:
    """Compare the resources that are expected."""
    numbers = _numbers(found)
    for resource, value in expect.items():
        if not isclose(value, numbers[resource], rel_tol=1e-9):
            yield from single(f"{resource} in {what}", value, numbers[resource])


def _allowed(name: str, case: Mapping[str, Any], *, is_allowed: bool) -> Result:
    return _single(name, part(case, "expect", dict), "allowed", is_allowed)


def _single(name: str, expect: Mapping[str, Any], what: str, found: object) -> Result:
    """Compare a case that expects one value."""
    return judged(name, (*unknown_parts(expect, (what,)), *single(what, expect.get(what), found)))


Runner = Callable[[str, Mapping[str, Any], object], Result]

RUNNERS: Final[dict[str, Runner]] = {
    "kai_fair_share": _run_fair_share,
    "kai_queue_order": _run_queue_order,
    "kai_queue_order_state": _run_queue_order_state,
    "kai_requestable": _run_requestable,
    "kai_allocatable": _run_allocatable,
    "kai_dominant_share": _run_dominant_share,
    "kai_capacity": _run_capacity,
    "kai_may_try_reclaim": _run_may_try_reclaim,
    "kai_reclaim_strategy": _run_reclaim_strategy,
    "kai_reclaim_valid": _run_reclaim_valid,
    "kai_min_runtime": _run_min_runtime,
    "kai_protected": _run_protected,
    "kai_job_order": _run_job_order,
}
