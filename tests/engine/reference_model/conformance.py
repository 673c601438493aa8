"""Adapter that answers the questions of the conformance vectors by the reference model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import ceil

from console.dialects.kueue.conformance.answers import (
    Action,
    Amounts,
    Attempt,
    Condition,
    CycleAnswer,
    FlavorAnswer,
    FlavorReason,
    HeadCode,
    HeadVerdict,
    PodSetAnswer,
    QuotaAnswer,
    ReasonCode,
    ResourceFlavor,
    SettleAnswer,
    SettleDecision,
    SharesAnswer,
    VictimReason,
    VictimsAnswer,
)
from console.dialects.kueue.conformance.answers import Mode as SaidMode
from console.dialects.kueue.conformance.answers import Share as SaidShare
from console.dialects.kueue.conformance.engine_under_test import Nominated, PreemptionStub
from console.dialects.kueue.conformance.workloads import PendingWorkload
from console.dialects.kueue.conformance.world import World as Given
from console.engine.disciplines.quota.spec import spec_of, with_spec
from console.engine.model.nodes import Taint, TaintEffect
from console.engine.model.policy import Policy, StopPolicy
from console.engine.routing.local_queues import local_routing_of
from tests.engine.reference_model.cycle import run_cycle
from tests.engine.reference_model.flavors import Choices, Mode, PodSetChoice, Walker
from tests.engine.reference_model.nomination import Nominator
from tests.engine.reference_model.settle import settle
from tests.engine.reference_model.shares import share
from tests.engine.reference_model.tree import Node, Tree
from tests.engine.reference_model.world import (
    Complaint,
    Pair,
    Running,
    Scan,
    Verdict,
    Waiting,
    World,
)

_MODES = {
    Mode.NO_FIT: SaidMode.NO_FIT,
    Mode.NO_CANDIDATES: SaidMode.NO_CANDIDATES,
    Mode.PREEMPT: SaidMode.PREEMPT,
    Mode.RECLAIM: SaidMode.RECLAIM,
    Mode.FIT: SaidMode.FIT,
}
_GRANULAR = {said: mode for mode, said in _MODES.items()}


class ReferenceEngine:
    """Answers by the reference model; *settle_world* replaces its settle loop."""

    def __init__(
        self,
        *,
        reserves_victim_quota: bool = False,
        settle_world: Callable[[World], object] = settle,
    ) -> None:
        self._reserves_victim_quota = reserves_victim_quota
        self._settle = settle_world

    def settle(self, world: Given) -> SettleAnswer:
        """Run the settle loop."""
        live, astray = read(world, reserves_victim_quota=self._reserves_victim_quota)
        settled = settle(live)
        pending = dict(astray)
        for each in live.waiting:
            is_active = live.is_active(each.queue)
            pending[each.id] = Condition(each.verdict.reason) if is_active else Condition.SUSPENDED
        return SettleAnswer(
            admitted={each.id: each.assignment for each in live.running},
            pending=pending,
            decisions=tuple(
                SettleDecision(
                    cycle=step.cycle,
                    action=Action(step.action),
                    workload=step.workload,
                    victims={name: VictimReason(why) for name, why in step.victims},
                )
                for step in settled.steps
            ),
            is_steady=settled.is_steady,
            did_resync_change=settled.resync_changed,
        )

    def cycle(self, world: Given) -> CycleAnswer:
        """Run one cycle."""
        live, _ = read(world, reserves_victim_quota=self._reserves_victim_quota)
        result = run_cycle(live)
        preempted = {name: why for each in result.preempted.values() for name, why in each.items()}
        return CycleAnswer(
            admitted={each.id: each.assignment for each in result.admitted},
            preempted={name: VictimReason(why) for name, why in preempted.items()},
            requeued=frozenset(each.id for each in live.waiting if not each.is_inadmissible),
            inadmissible=frozenset(each.id for each in live.waiting if each.is_inadmissible),
            messages={
                each.id: _head_verdict(each.verdict)
                for each in live.waiting
                if each.verdict.code != HeadCode.NOT_EVALUATED
            },
            skipped_preemptions=result.skipped_preemptions,
        )

    def assign(self, world: Given, head: PendingWorkload, stub: PreemptionStub) -> FlavorAnswer:
        """Assign flavors, with *stub* in place of the preemption simulation."""
        live, _ = read(world)
        tree = Tree(live.policy, live.running)

        def oracle(pair: Pair, amount: int) -> tuple[Mode, int]:
            simulated = stub.simulate(*pair)
            return _GRANULAR[simulated.outcome], simulated.level

        waiting = next(each for each in live.waiting if each.id == head.workload.id)
        walker = Walker(
            tree=tree,
            queue=tree.queue(waiting.queue),
            workload=head.workload,
            oracle=oracle,
            scan=waiting.scan,
        )
        choices = walker.assign({each.name: each.count for each in head.workload.pod_sets})
        return FlavorAnswer(
            mode=_vector_mode(_mode_of(choices)),
            borrowing=choices.level,
            pod_sets=tuple(_pod_set(each) for each in choices.pod_sets),
            usage=_nested(choices.usage),
            no_fit_reason=Condition(choices.no_fit_reason) if choices.no_fit_reason else None,
        )

    def targets(
        self,
        world: Given,
        preemptor: PendingWorkload,
        nominated: Mapping[str, Mapping[str, Nominated]],
    ) -> VictimsAnswer:
        """Search for preemption targets only."""
        live, _ = read(world)
        tree = Tree(live.policy, live.running)
        waiting = next(each for each in live.waiting if each.id == preemptor.workload.id)
        request: dict[Pair, int] = {}
        short: set[Pair] = set()
        for pod_set in preemptor.workload.pod_sets:
            for resource, given in nominated.get(pod_set.name, {}).items():
                pair = (given.flavor, resource)
                amount = pod_set.requests.get(resource, 0) * pod_set.count
                request[pair] = request.get(pair, 0) + amount
                if given.mode is SaidMode.PREEMPT:
                    short.add(pair)
        nominator = Nominator(
            tree=tree,
            running=live.running,
            queue=tree.queue(waiting.queue),
            workload=preemptor.workload,
            priority=waiting.priority,
        )
        found = nominator.targets(request, short)
        return VictimsAnswer(
            victims={
                each.running.id: VictimReason(each.reason)
                for each in found
                if not each.running.is_evicted
            },
            count=len(found),
        )

    def quota(self, world: Given) -> QuotaAnswer:
        """Return the potential and the available quota of each queue."""
        live, _ = read(world)
        tree = Tree(live.policy, live.running)
        queues = live.policy.queues.values()

        def by_queue(amount: Callable[[Node, Pair], int]) -> dict[str, Amounts]:
            return {
                each.name: _nested({pair: amount(each, pair) for pair in tree.pairs(each)})
                for each in queues
            }

        return QuotaAnswer(
            potential=by_queue(tree.potential),
            available=by_queue(lambda node, pair: max(0, tree.available(node, pair))),
        )

    def shares(self, world: Given, extra_usage: Mapping[str, Mapping[str, int]]) -> SharesAnswer:
        """Return all fair shares."""
        live, _ = read(world)
        tree = Tree(live.policy, live.running)
        extra = {
            (flavor, resource): amount
            for flavor, amounts in extra_usage.items()
            for resource, amount in amounts.items()
        }

        def said(node: Node) -> SaidShare:
            found = share(tree, node, extra)
            return SaidShare(
                share=None if found.value is None else ceil(found.value),
                resource=found.resource,
                is_borrowing=found.is_borrowing,
            )

        return SharesAnswer(
            cluster_queues={name: said(each) for name, each in live.policy.queues.items()},
            cohorts={name: said(each) for name, each in spec_of(live.policy).cohorts.items()},
        )


def read(
    given: Given, *, reserves_victim_quota: bool = False
) -> tuple[World, dict[str, Condition]]:
    """Return the world of a case, and the conditions of workloads that are in no queue."""
    # In Kueue a request of zero is assigned a flavor too (spec 6.1).
    settings = replace(spec_of(given.policy).settings, zeros_take_flavors=True)
    policy = with_spec(given.policy, settings=settings)
    world = World(policy=policy, reserves_victim_quota=reserves_victim_quota)
    astray: dict[str, Condition] = {}
    for held in given.running:
        world.running.append(
            Running(
                workload=held.workload,
                queue=held.queue,
                priority=held.priority,
                assignment=held.assignment,
                reservation=held.reservation,
                is_evicted=held.is_departing,
            )
        )
    for each in given.pending:
        led = _destination(policy, each)
        if isinstance(led, Condition):
            astray[each.workload.id] = led
            continue
        scan = Scan(tried=each.last_assignment, cycle=0, generation=0)
        world.waiting.append(
            Waiting(
                workload=each.workload,
                queue=led,
                priority=each.workload.priority or 0,
                scan=scan if each.last_assignment else None,
            )
        )
    return world, astray


def _destination(policy: Policy, pending: PendingWorkload) -> str | Condition:
    """Return the queue of a workload, or the condition that keeps it out of all queues."""
    if not pending.is_active:
        return Condition.DEACTIVATED
    routing = local_routing_of(policy)
    assert routing is not None
    workload = pending.workload
    local_queue = routing.local_queues.get(
        (workload.namespace, workload.labels[routing.queue_label])
    )
    if local_queue is None or local_queue.queue not in policy.queues:
        return Condition.MISCONFIGURED
    return local_queue.queue if local_queue.stop is StopPolicy.NONE else Condition.SUSPENDED


def _mode_of(choices: Choices) -> Mode:
    return min((each.mode for each in choices.pod_sets), default=Mode.FIT)


def _vector_mode(mode: Mode) -> SaidMode:
    return _MODES[mode] if mode in (Mode.NO_FIT, Mode.FIT) else SaidMode.PREEMPT


def _pod_set(part: PodSetChoice) -> PodSetAnswer:
    return PodSetAnswer(
        name=part.name,
        count=part.count,
        flavors={
            resource: ResourceFlavor(
                flavor=each.flavor, mode=_vector_mode(each.grade.mode), tried=each.tried
            )
            for resource, each in part.choices.items()
        },
        requests=part.requests,
        reasons=tuple(_reason(each) for each in part.complaints),
        attempts={
            flavor: Attempt(
                outcome=_MODES[grade.mode],
                level=grade.level,
                why=Condition(grade.no_fit_reason) if grade.no_fit_reason else None,
            )
            for flavor, grade in part.attempts.items()
        },
    )


def _head_verdict(verdict: Verdict) -> HeadVerdict:
    return HeadVerdict(
        reason=Condition(verdict.reason),
        code=HeadCode(verdict.code),
        victims=verdict.victims or None,
        pod_sets={
            name: tuple(_reason(each) for each in complaints)
            for name, complaints in verdict.complaints.items()
        },
    )


def _reason(complaint: Complaint) -> FlavorReason:
    taint = None
    if complaint.taint is not None:
        key, value, effect = complaint.taint
        taint = Taint(key, value, TaintEffect(effect))
    return FlavorReason(
        code=ReasonCode(complaint.code),
        flavor=complaint.flavor or None,
        resource=complaint.resource or None,
        missing=complaint.missing,
        assumed=complaint.assumed,
        requested=complaint.requested,
        capacity=complaint.capacity,
        taint=taint,
    )


def _nested(amounts: Mapping[Pair, int]) -> Amounts:
    nested: dict[str, dict[str, int]] = {}
    for (flavor, resource), amount in amounts.items():
        nested.setdefault(flavor, {})[resource] = amount
    return nested
