"""Adapters that give the reference model and the product's engine one interface."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from console.engine.disciplines.quota.candidates import Search
from console.engine.disciplines.quota.ledger import Ledger
from console.engine.disciplines.quota.levels import borrow_level
from console.engine.disciplines.quota.modes import NoFit
from console.engine.disciplines.quota.nominate import find_targets, nominate
from console.engine.disciplines.quota.reasons import (
    PREEMPTED_FOR_FAIR_SHARE,
    RECLAIMED_IN_COHORT,
    RECLAIMED_WHILE_BORROWING,
)
from console.engine.disciplines.quota.spec import spec_of
from console.engine.model.amounts import Amount
from console.engine.model.common_reasons import PREEMPTED_IN_QUEUE
from console.engine.model.decision import Outcome
from console.engine.model.policy import Policy
from console.engine.model.trace import TurnVerdict
from console.engine.model.workload import PodSet, Workload
from console.engine.pending.pending_class import ScanPosition
from console.engine.routing.rule_routing import route_by
from console.engine.routing.rules import Rule
from console.engine.state import State
from tests.engine.builders import only
from tests.engine.reference_model.builder import CPU, FLAVOR
from tests.engine.reference_model.candidates import FAIR_SHARE, IN_QUEUE, RECLAIMED, WHILE_BORROWING
from tests.engine.reference_model.cycle import run_cycle
from tests.engine.reference_model.nomination import Nominator
from tests.engine.reference_model.tree import Tree
from tests.engine.reference_model.world import Pair, Running, Scan, Waiting, World

RIGHTS = {
    PREEMPTED_IN_QUEUE: IN_QUEUE,
    RECLAIMED_IN_COHORT: RECLAIMED,
    RECLAIMED_WHILE_BORROWING: WHILE_BORROWING,
    PREEMPTED_FOR_FAIR_SHARE: FAIR_SHARE,
}
_NO_FIT_REASONS = {
    None: "",
    NoFit.WAITING_FOR_QUOTA: "WaitingForQuota",
    NoFit.EXCEEDS_MAX: "ExceedsMaxQuota",
    NoFit.NO_MATCHING_FLAVOR: "NoMatchingFlavor",
}

#: For each pod set and assigned resource: flavor, mode, borrowing level, last tried flavor index.
AssignedFlavors = list[tuple[str, str, int, int]]


@dataclass(frozen=True, kw_only=True)
class Nomination:
    """The flavors and quota that a workload would use."""

    assigned: AssignedFlavors
    counts: dict[str, int]
    #: The reason why the workload cannot fit; "" if it can.
    no_fit_reason: str
    is_fit: bool
    victims: list[str]


@dataclass(frozen=True, kw_only=True)
class Cycle:
    """The decisions of one cycle."""

    #: Admitted workloads in the order of admission.
    admitted: list[str]
    #: Preemptor -> victim -> reason of the preemption.
    preempted: dict[str, dict[str, str]]
    #: Verdict of each workload that was nominated and is still pending.
    verdicts: dict[str, str]


class Engine(Protocol):
    """The interface of both engines in worked examples; amounts are thousandths."""

    def available_quota(self, policy: Policy, held: Mapping[str, int]) -> dict[str, int]:
        """Return the available quota of each queue, 0 if usage exceeds the quota."""

    def potential_quota(self, policy: Policy) -> dict[str, Amount]:
        """Return the available quota of each queue if no workload were running."""

    def levels(
        self, policy: Policy, held: Mapping[str, int], queue: str, amounts: Iterable[int]
    ) -> list[tuple[int, bool]]:
        """Return for each amount the borrowing level, and whether it may be reclaimed."""

    def victims(
        self,
        policy: Policy,
        held: Sequence[Running],
        at: str,
        amount: int,
        priority: int = 0,
        flavor: str = FLAVOR,
    ) -> dict[str, str]:
        """Return the victims that free *amount* for queue *at*, with the reasons."""

    def nominate(
        self, policy: Policy, held: Sequence[Running], head: Waiting, scan: Scan | None = None
    ) -> Nomination:
        """Return the flavors and quota that *head* would use."""

    def cycle(self, world: World) -> Cycle:
        """Run one cycle."""


class ModelEngine:
    """Adapter of the reference model."""

    def available_quota(self, policy: Policy, held: Mapping[str, int]) -> dict[str, int]:
        tree = _tree(policy, held)
        return {name: tree.room(each, (FLAVOR, CPU)) for name, each in policy.queues.items()}

    def potential_quota(self, policy: Policy) -> dict[str, Amount]:
        tree = Tree(policy)
        return {name: tree.potential(each, (FLAVOR, CPU)) for name, each in policy.queues.items()}

    def levels(
        self, policy: Policy, held: Mapping[str, int], queue: str, amounts: Iterable[int]
    ) -> list[tuple[int, bool]]:
        tree = _tree(policy, held)
        return [tree.level(tree.queue(queue), (FLAVOR, CPU), each) for each in amounts]

    def victims(
        self,
        policy: Policy,
        held: Sequence[Running],
        at: str,
        amount: int,
        priority: int = 0,
        flavor: str = FLAVOR,
    ) -> dict[str, str]:
        nominator = _nominator(policy, held, _preemptor(at, amount, priority))
        pair = (flavor, CPU)
        return {each.running.id: each.reason for each in nominator.targets({pair: amount}, {pair})}

    def nominate(
        self, policy: Policy, held: Sequence[Running], head: Waiting, scan: Scan | None = None
    ) -> Nomination:
        found = _nominator(policy, held, head, scan).nominate()
        parts = found.choices.pod_sets
        return Nomination(
            assigned=[
                (choice.flavor, choice.grade.mode.name, choice.grade.level, choice.tried)
                for part in parts
                for choice in part.choices.values()
            ],
            counts={each.name: each.count for each in parts},
            no_fit_reason=found.choices.no_fit_reason,
            is_fit=found.choices.is_fit,
            victims=[each.running.id for each in found.targets],
        )

    def cycle(self, world: World) -> Cycle:
        result = run_cycle(world)
        return Cycle(
            admitted=[each.id for each in result.admitted],
            preempted=result.preempted,
            verdicts={each.id: each.verdict.code for each in world.waiting},
        )


class ProductEngine:
    """Adapter of the product's engine."""

    def available_quota(self, policy: Policy, held: Mapping[str, int]) -> dict[str, int]:
        ledger = _ledger(policy, held)
        found = {name: ledger.queue(name).available((FLAVOR, CPU)) for name in policy.queues}
        return {name: max(0, each) for name, each in found.items() if isinstance(each, int)}

    def potential_quota(self, policy: Policy) -> dict[str, Amount]:
        ledger = Ledger(policy)
        return {name: ledger.queue(name).potential((FLAVOR, CPU)) for name in policy.queues}

    def levels(
        self, policy: Policy, held: Mapping[str, int], queue: str, amounts: Iterable[int]
    ) -> list[tuple[int, bool]]:
        node = _ledger(policy, held).queue(queue)
        return [borrow_level(node, (FLAVOR, CPU), each) for each in amounts]

    def victims(
        self,
        policy: Policy,
        held: Sequence[Running],
        at: str,
        amount: int,
        priority: int = 0,
        flavor: str = FLAVOR,
    ) -> dict[str, str]:
        state = _state(policy, held, ())
        asker = _preemptor(at, amount, priority)
        pair = (flavor, CPU)
        search = Search(
            queue=state.queues[at],
            asker=asker.id,
            priority=priority,
            sequence=asker.workload.sequence,
            usage={pair: amount},
            short=frozenset((pair,)),
        )
        found = find_targets(search, spec_of(policy).settings)
        return {each.running.workload.id: RIGHTS[each.reason] for each in found}

    def nominate(
        self, policy: Policy, held: Sequence[Running], head: Waiting, scan: Scan | None = None
    ) -> Nomination:
        state = _state(policy, held, (head,))
        state.take_in_arrivals()
        resumed = ScanPosition(scan.tried, scan.cycle, scan.generation) if scan else None
        pending = state.pending[head.id]
        found = nominate(state.queues[head.queue], pending, spec_of(policy).settings, scan=resumed)
        parts = found.result.pod_sets
        failed = {each.name: each.count for each in found.result.failed}
        return Nomination(
            assigned=[
                (choice.flavor, choice.mode.name, choice.level, choice.tried)
                for part in parts
                for choice in part.choices.values()
            ],
            counts={each.request.name: each.request.count for each in parts} | failed,
            no_fit_reason=_NO_FIT_REASONS[found.result.no_fit],
            is_fit=found.fits,
            victims=[each.running.workload.id for each in found.targets],
        )

    def cycle(self, world: World) -> Cycle:
        state = _state(world.policy, world.running, world.waiting)
        made = state.step()
        preempted: dict[str, dict[str, str]] = {}
        for each in made:
            if each.outcome is Outcome.PREEMPTED:
                assert each.preemptor is not None
                preempted.setdefault(each.preemptor, {})[each.workload] = RIGHTS[each.reason]
        return Cycle(
            admitted=[each.workload for each in made if each.outcome is Outcome.ADMITTED],
            preempted=preempted,
            verdicts={
                name: _verdict_code(state, name, claims=name in preempted) for name in state.pending
            },
        )


def _verdict_code(state: State, name: str, *, claims: bool) -> str:
    """Return the verdict on a pending workload in the codes of the reference model."""
    pending = state.pending[name]
    queue = state.queues[pending.route.queue or ""]
    if name in queue.preemptors:
        return "Preempting" if claims else "WaitsForOthers"
    verdict = queue.pending.classes[pending.class_key].verdict
    assert verdict is not None
    assert verdict.nomination is not None
    if verdict.turn is not None:
        assert verdict.turn.verdict in (TurnVerdict.OVERTAKEN, TurnVerdict.STILL_HELD)
        return "Overtaken"
    return "NoVictims" if verdict.nomination.preemption is not None else "NoRoom"


def _preemptor(at: str, amount: int, priority: int) -> Waiting:
    workload = Workload(id="asker", sequence=1000, pod_sets=(PodSet(requests={CPU: amount}),))
    return Waiting(workload=workload, queue=at, priority=priority)


def _nominator(
    policy: Policy, held: Sequence[Running], head: Waiting, scan: Scan | None = None
) -> Nominator:
    tree = Tree(policy, held)
    return Nominator(
        tree=tree,
        running=held,
        queue=tree.queue(head.queue),
        workload=head.workload,
        priority=head.priority,
        scan=scan,
    )


def _tree(policy: Policy, held: Mapping[str, int]) -> Tree:
    tree = Tree(policy)
    for name, amount in held.items():
        tree.add(name, _usage(amount))
    return tree


def _ledger(policy: Policy, held: Mapping[str, int]) -> Ledger:
    ledger = Ledger(policy)
    for name, amount in held.items():
        ledger.add(name, _usage(amount))
    return ledger


def _usage(amount: int) -> dict[Pair, int]:
    return {(FLAVOR, CPU): amount}


def _state(policy: Policy, held: Iterable[Running], waiting: Iterable[Waiting]) -> State:
    """Return the engine state of a reference model world; a label routes each workload."""
    rules = tuple(
        Rule(index=index, queue=name, selector=only(queue=name))
        for index, name in enumerate(policy.queues)
    )
    state = State(replace(policy, routing=route_by(rules)))
    for each in sorted(held, key=lambda each: each.reservation):
        state.restore(
            each.workload,
            queue=each.queue,
            priority=each.priority,
            assignment=each.assignment,
            reservation=each.reservation,
            evicting=each.is_evicted,
        )
    for sent in waiting:
        labels = {"queue": sent.queue}
        state.submit(replace(sent.workload, labels=labels, priority=sent.priority))
    return state


ENGINES: dict[str, Engine] = {"model": ModelEngine(), "product": ProductEngine()}
