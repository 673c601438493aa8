"""The adapter of the product's engine for the cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from console.dialects.conformance.settling import cycles_until_settled
from console.dialects.kueue.conformance.answers import (
    Action,
    Condition,
    CycleAnswer,
    FlavorAnswer,
    HeadCode,
    HeadVerdict,
    Mode,
    PodSetAnswer,
    QuotaAnswer,
    ResourceFlavor,
    SettleAnswer,
    SettleDecision,
    Share,
    SharesAnswer,
    VictimReason,
    VictimsAnswer,
)
from console.dialects.kueue.conformance.case_terms import (
    assignment_mode,
    attempts_of,
    no_fit_condition,
    reasons_by_pod_set,
)
from console.dialects.kueue.conformance.engine_under_test import Nominated, PreemptionStub
from console.dialects.kueue.conformance.product_waiting import head_verdict, pending_conditions
from console.dialects.kueue.conformance.workloads import PendingWorkload
from console.dialects.kueue.conformance.world import World
from console.engine.disciplines.quota.candidates import Search
from console.engine.disciplines.quota.flavors import Assigner
from console.engine.disciplines.quota.ledger import Ledger, Node, QuotaQueue
from console.engine.disciplines.quota.modes import Mode as GranularMode
from console.engine.disciplines.quota.nominate import (
    QuotaNomination,
    find_targets,
    preempts_while_borrowing,
)
from console.engine.disciplines.quota.pod_set_requests import pod_set_requests
from console.engine.disciplines.quota.reasons import (
    PREEMPTED_FOR_FAIR_SHARE,
    RECLAIMED_IN_COHORT,
    RECLAIMED_WHILE_BORROWING,
)
from console.engine.disciplines.quota.shares import dominant_share
from console.engine.disciplines.quota.spec import Undeclared, spec_of
from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.common_reasons import PREEMPTED_IN_QUEUE
from console.engine.model.decision import Decision, Outcome
from console.engine.model.policy import StopPolicy
from console.engine.model.reasons import Reason
from console.engine.pending.pending_class import Pending, ScanPosition
from console.engine.state import State

_VICTIM_REASONS = {
    PREEMPTED_IN_QUEUE: VictimReason.IN_CLUSTER_QUEUE,
    RECLAIMED_IN_COHORT: VictimReason.IN_COHORT_RECLAMATION,
    RECLAIMED_WHILE_BORROWING: VictimReason.IN_COHORT_RECLAIM_WHILE_BORROWING,
    PREEMPTED_FOR_FAIR_SHARE: VictimReason.IN_COHORT_FAIR_SHARING,
}


_Comparable = tuple[str, str, str, str, str]


class Product:
    """Answers the questions of the cases with the engine of the product."""

    def settle(self, world: World) -> SettleAnswer:
        """Run cycles, each followed by the release of all victims, until nothing changes."""
        state = _state(world)
        decisions: list[SettleDecision] = []
        #: The last reason of each pending workload.
        said: dict[str, Condition] = {}
        told: list[_Comparable] = []
        for cycle, made in cycles_until_settled(state):
            said = pending_conditions(state, said)
            decisions += _settle_decisions(cycle, made)
            told += _comparable(made)
        skipping = [
            each
            for _, made in cycles_until_settled(_state(world), skipping=True)
            for each in _comparable(made)
        ]
        if sorted(skipping) != sorted(told):
            raise AssertionError(
                f"skipping hopeless cycles changes the decisions: {skipping}, {told}"
            )
        said = pending_conditions(state, said)
        return SettleAnswer(
            admitted={name: r.assignment for name, r in state.running.items()},
            pending={**said, **_deactivated(world)},
            decisions=tuple(decisions),
        )

    def cycle(self, world: World) -> CycleAnswer:
        """Run one cycle."""
        state = _state(world)
        already = set(state.evicting)
        running = set(state.running)
        state.step()
        messages = {name: head_verdict(state, pending) for name, pending in state.pending.items()}
        messages |= {
            each.workload.id: HeadVerdict(reason=Condition.DEACTIVATED, code=HeadCode.INACTIVE)
            for each in world.pending
            if not each.is_active
        }
        requeued: set[str] = set()
        inadmissible: set[str] = set()
        for queue in state.queues.values():
            requeued |= queue.preemptors.keys()
            for cls in queue.pending.classes.values():
                waits_apart = queue.pending.is_inadmissible(cls) and queue.barrier is None
                (inadmissible if waits_apart else requeued).update(p.workload.id for p in cls)
        return CycleAnswer(
            admitted={
                name: each.assignment for name, each in state.running.items() if name not in running
            },
            preempted={
                name: _VICTIM_REASONS[_reason(state, name)] for name in state.evicting - already
            },
            requeued=frozenset(requeued),
            inadmissible=frozenset(inadmissible),
            messages=messages,
            skipped_preemptions=_skipped_preemptions(state),
        )

    def assign(self, world: World, head: PendingWorkload, stub: PreemptionStub) -> FlavorAnswer:
        """Assign flavors, with *stub* in place of the search for victims."""
        state, queue, pending = _head(world, head)
        simulated = {
            Mode.NO_CANDIDATES: GranularMode.NO_CANDIDATES,
            Mode.PREEMPT: GranularMode.PREEMPT,
            Mode.RECLAIM: GranularMode.RECLAIM,
        }

        def oracle(key: FlavorResource, _amount: int) -> tuple[GranularMode, int]:
            answer = stub.simulate(*key)
            return simulated[answer.outcome], answer.level

        settings = spec_of(state.policy).settings
        assigner = Assigner(
            queue,
            oracle,
            preempts_while_borrowing=preempts_while_borrowing(queue, settings),
            ignores_undeclared=settings.undeclared is Undeclared.IGNORE,
            scan=pending.scan,
        )
        found = assigner.assign(
            pod_set_requests(queue, pending, None, zeros=settings.zeros_take_flavors)
        )
        reasons = reasons_by_pod_set(found)
        usage: dict[str, dict[str, Amount]] = {}
        for (flavor, resource), amount in found.usage.items():
            usage.setdefault(flavor, {})[resource] = amount
        known = {each.request.name: each for each in found.pod_sets}
        requests = [*(each.request for each in found.pod_sets), *found.failed]
        return FlavorAnswer(
            mode=assignment_mode(found.mode),
            borrowing=found.level,
            pod_sets=tuple(
                PodSetAnswer(
                    name=each.name,
                    count=each.count,
                    flavors={
                        resource: ResourceFlavor(
                            flavor=choice.flavor,
                            mode=assignment_mode(choice.mode),
                            tried=choice.tried,
                        )
                        for resource, choice in known[each.name].choices.items()
                    }
                    if each.name in known
                    else {},
                    requests=dict(each.requests),
                    reasons=tuple(reasons.get(each.name, ())),
                    attempts=attempts_of(found, each.name),
                )
                for each in requests
            ),
            usage=usage,
            no_fit_reason=no_fit_condition(found.no_fit),
        )

    def targets(
        self,
        world: World,
        preemptor: PendingWorkload,
        nominated: Mapping[str, Mapping[str, Nominated]],
    ) -> VictimsAnswer:
        """Find the victims for the given flavors."""
        state, queue, pending = _head(world, preemptor)
        usage: dict[FlavorResource, int] = {}
        short: set[FlavorResource] = set()
        for each in pod_set_requests(queue, pending, None, zeros=True):
            for resource, given in nominated.get(each.name, {}).items():
                key = (given.flavor, resource)
                usage[key] = usage.get(key, 0) + each.requests.get(resource, 0)
                if given.mode is not Mode.FIT:
                    short.add(key)
        search = Search(
            queue,
            pending.workload.id,
            pending.priority,
            pending.workload.sequence,
            usage,
            frozenset(short),
        )
        targets = find_targets(search, spec_of(state.policy).settings)
        return VictimsAnswer(
            victims={
                target.running.workload.id: _VICTIM_REASONS[target.reason]
                for target in targets
                if not target.running.evicting
            },
            count=len(targets),
        )

    def quota(self, world: World) -> QuotaAnswer:
        """Return the quota of all queues from the ledger."""
        state = _state(world)
        potential: dict[str, dict[str, dict[str, Amount]]] = {}
        available: dict[str, dict[str, dict[str, Amount]]] = {}
        for queue in state.queues.values():
            for flavor, resource in queue.account.quotas:
                cell = queue.account.cell((flavor, resource))
                free = cell.available
                potential.setdefault(queue.name, {}).setdefault(flavor, {})[resource] = (
                    cell.potential
                )
                available.setdefault(queue.name, {}).setdefault(flavor, {})[resource] = (
                    free if free > 0 else 0
                )
        return QuotaAnswer(potential=potential, available=available)

    def shares(self, world: World, extra_usage: Mapping[str, Mapping[str, int]]) -> SharesAnswer:
        """Compute the share of every node, each with the extra usage added to it alone."""
        state = _state(world)
        extra = {
            (flavor, resource): amount
            for flavor, amounts in extra_usage.items()
            for resource, amount in amounts.items()
        }
        ledger = state.ledger
        assert isinstance(ledger, Ledger)
        cohorts = {name: ledger.cohort(name) for name in spec_of(state.policy).cohorts}
        return SharesAnswer(
            cluster_queues={
                name: _share(queue.account, extra) for name, queue in state.queues.items()
            },
            cohorts={name: _share(node, extra) for name, node in cohorts.items()},
        )


def _state(world: World) -> State:
    state = State(world.policy)
    for each in sorted(world.running, key=lambda r: r.reservation):
        state.restore(
            each.workload,
            queue=each.queue,
            priority=each.priority,
            assignment=each.assignment,
            reservation=each.reservation,
            evicting=each.is_departing,
            reason=PREEMPTED_IN_QUEUE if each.is_departing else None,
        )
    for waiting in world.pending:
        if waiting.is_active:
            state.submit(waiting.workload)
    state.take_in_arrivals()
    for waiting in world.pending:
        pending = state.pending.get(waiting.workload.id)
        if pending is not None and waiting.last_assignment:
            generation = state.queues[pending.route.queue or ""].generation
            pending.scan = ScanPosition(waiting.last_assignment, 0, generation)
    return state


def _head(world: World, head: PendingWorkload) -> tuple[State, QuotaQueue, Pending]:
    state = _state(world)
    pending = state.pending[head.workload.id]
    return state, state.queues[pending.route.queue or ""], pending


def _settle_decisions(cycle: int, made: list[Decision]) -> Iterator[SettleDecision]:
    victims: dict[str, dict[str, VictimReason]] = {}
    for decision in made:
        if decision.outcome is Outcome.ADMITTED:
            yield SettleDecision(cycle=cycle, action=Action.ADMIT, workload=decision.workload)
        elif decision.outcome is Outcome.PREEMPTED and decision.preemptor is not None:
            told = victims.setdefault(decision.preemptor, {})
            told[decision.workload] = _VICTIM_REASONS[decision.reason]
    for preemptor, told in victims.items():
        yield SettleDecision(cycle=cycle, action=Action.PREEMPT, workload=preemptor, victims=told)


def _deactivated(world: World) -> dict[str, Condition]:
    return {each.workload.id: Condition.DEACTIVATED for each in world.pending if not each.is_active}


def _comparable(made: list[Decision]) -> list[_Comparable]:
    """Return admissions and preemptions as comparable values."""
    return [
        (d.workload, d.outcome.value, d.reason, d.preemptor or "", repr(d.assignment))
        for d in made
        if d.outcome in (Outcome.ADMITTED, Outcome.PREEMPTED)
    ]


def _reason(state: State, name: str) -> Reason:
    reason = state.running[name].reason
    assert reason is not None
    return reason


def _skipped_preemptions(state: State) -> dict[str, int]:
    skipped: dict[str, int] = {}
    for queue in state.queues.values():
        if queue.policy is None or queue.policy.stop is not StopPolicy.NONE:
            continue
        count = 0
        for cls in queue.pending.classes.values():
            found = cls.verdict.nomination if cls.verdict is not None else None
            if cls.verdict is None or cls.verdict.turn is None:
                continue
            if isinstance(found, QuotaNomination) and found.targets:
                count += 1
        skipped[queue.name] = count
    return skipped


def _share(node: Node, extra: Mapping[FlavorResource, int]) -> Share:
    for key, amount in extra.items():
        node.cell(key).add(amount)
    share = dominant_share(node)
    for key, amount in extra.items():
        node.cell(key).add(-amount)
    return Share(
        share=share.thousandths(),
        resource=share.resource or "",
        is_borrowing=share.is_borrowing,
    )
