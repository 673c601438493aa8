"""
Builders of policies and of engine states, as a small language for engine tests.

    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("sweep", gpu=4)
    assert world.settle() == ["sweep: admitted on any"]

Amounts are whole units or texts with decimals. A workload is routed to the queue that its label
``queue`` names, by default the first queue of the world. Cohorts that are named as a parent but
not given have no quota.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

from console.engine.disciplines.quota.reasons import (
    PREEMPTED_FOR_FAIR_SHARE,
    RECLAIMED_IN_COHORT,
    RECLAIMED_WHILE_BORROWING,
)
from console.engine.disciplines.quota.spec import (
    Cohort,
    FairStrategy,
    Flavor,
    FlavorQuotas,
    Fungibility,
    FungibilityPolicy,
    Preemption,
    PreemptionRule,
    Preference,
    QueueSpec,
    Quota,
    QuotaSettings,
    ResourceGroup,
    quota_policy,
)
from console.engine.model.amounts import UNLIMITED, WEIGHT_ONE, Amount, parse_amount
from console.engine.model.common_reasons import DRAINED, PREEMPTED_IN_QUEUE, WAITING_FOR_PREEMPTED
from console.engine.model.decision import Assignment, Decision, Outcome
from console.engine.model.policy import Policy, StopPolicy, Strategy
from console.engine.model.selectors import EVERYTHING, MatchExpression, Operator, Selector
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.rule_routing import route_by
from console.engine.routing.rules import PriorityPolicy, Rule
from console.engine.state import State

NEVER, ANY = PreemptionRule.NEVER, PreemptionRule.ANY
LOWER, LOWER_OR_NEWER = (
    PreemptionRule.LOWER_PRIORITY,
    PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY,
)
#: Both fair sharing strategies in the default order.
FAIR = (FairStrategy.FINAL_SHARE, FairStrategy.INITIAL_SHARE)


def units(amount: float | str | None) -> Amount:
    """Return *amount* in thousandths; None is UNLIMITED."""
    return UNLIMITED if amount is None else parse_amount(str(amount))


def thousandths(**requests: float | str) -> dict[str, int]:
    """Return requests in thousandths."""
    return {resource: parse_amount(str(amount)) for resource, amount in requests.items()}


def pods(
    name: str,
    count: int = 1,
    *,
    at_least: int | None = None,
    together: str | None = None,
    **requests: float | str,
) -> PodSet:
    """Return a pod set; *requests* are per pod, *together* is the pod set group."""
    return PodSet(
        name=name, count=count, min_count=at_least, group=together, requests=thousandths(**requests)
    )


def only(**labels: str) -> Selector:
    """Return a selector that matches exactly these label values."""
    return Selector(tuple(MatchExpression(k, Operator.IN, (v,)) for k, v in labels.items()))


class _NodeBuilder:
    """Base of queue and cohort builders; `owns` adds to the current resource group."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parent: str | None = None
        self.fields: dict[str, Any] = {}
        self._groups: list[list[FlavorQuotas]] = []

    def owns(self, flavor: str = "any", **quota: float | str | None) -> Self:
        """Add a flavor with its nominal quota by resource; None is unlimited."""
        if not self._groups:
            self._groups.append([])
        quotas = {resource: Quota(nominal=units(amount)) for resource, amount in quota.items()}
        self._groups[-1].append(FlavorQuotas(flavor=flavor, quotas=quotas))
        return self

    def borrows_up_to(self, amount: float | str) -> Self:
        """Set the borrowing limit of every resource of the last flavor."""
        return self._limit(borrowing_limit=units(amount))

    def lends_up_to(self, amount: float | str) -> Self:
        """Set the lending limit of every resource of the last flavor."""
        return self._limit(lending_limit=units(amount))

    def new_group(self) -> Self:
        """Start another resource group."""
        self._groups.append([])
        return self

    def within(self, cohort: str) -> Self:
        """Set the parent cohort."""
        self.parent = cohort
        return self

    def fair_weight(self, weight: float) -> Self:
        """Set the fair sharing weight."""
        self.fields["fair_weight"] = int(weight * WEIGHT_ONE)
        return self

    def _limit(self, **limits: Amount) -> Self:
        last = self._groups[-1][-1]
        quotas = {resource: replace(quota, **limits) for resource, quota in last.quotas.items()}
        self._groups[-1][-1] = replace(last, quotas=quotas)
        return self

    @property
    def groups(self) -> tuple[ResourceGroup, ...]:
        return tuple(
            ResourceGroup(resources=tuple(entries[0].quotas), flavors=tuple(entries))
            for entries in self._groups
        )


class QueueBuilder(_NodeBuilder):
    """Builder of a queue."""

    def preempts(
        self,
        within: PreemptionRule = LOWER,
        *,
        reclaim: PreemptionRule = NEVER,
        borrow: PreemptionRule = NEVER,
        threshold: int | None = None,
    ) -> Self:
        """Set the preemption policy; by default lower priority within the queue only."""
        self.fields["preemption"] = Preemption(
            within_queue=within,
            reclaim_within_cohort=reclaim,
            borrow_within_cohort=borrow,
            max_priority_threshold=threshold,
        )
        return self

    def reclaims(self, rule: PreemptionRule = LOWER, **rules: Any) -> Self:
        """Enable reclaim within the cohort, without preemption within the queue."""
        return self.preempts(NEVER, reclaim=rule, **rules)

    def fungibility(
        self,
        *,
        borrow: FungibilityPolicy = FungibilityPolicy.MAY_STOP,
        preempt: FungibilityPolicy = FungibilityPolicy.TRY_NEXT,
        preference: Preference = Preference.BORROWING_OVER_PREEMPTION,
    ) -> Self:
        """Set the flavor fungibility."""
        self.fields["fungibility"] = Fungibility(
            when_can_borrow=borrow, when_can_preempt=preempt, preference=preference
        )
        return self

    def strict(self) -> Self:
        """Use StrictFIFO: no workload overtakes the first of the queue."""
        self.fields["strategy"] = Strategy.STRICT_FIFO
        return self

    def stopped(self, policy: StopPolicy = StopPolicy.HOLD) -> Self:
        """Set the stop policy."""
        self.fields["stop"] = policy
        return self

    def allows_namespaces(self, namespaces: Selector) -> Self:
        """Set the namespace selector, which applies to workloads routed by a local queue."""
        self.fields["namespaces"] = namespaces
        return self

    def build(self) -> QueueSpec:
        """Return the queue spec."""
        return QueueSpec(
            name=self.name,
            parent=self.parent,
            groups=self.groups,
            is_passthrough=not self.groups,
            **self.fields,
        )


class CohortBuilder(_NodeBuilder):
    """Builder of a cohort."""

    def build(self) -> Cohort:
        """Return the cohort."""
        return Cohort(name=self.name, parent=self.parent, groups=self.groups, **self.fields)


def queue(name: str = "train") -> QueueBuilder:
    """Return a builder of a queue; without `owns` the queue is passthrough."""
    return QueueBuilder(name)


def cohort(name: str) -> CohortBuilder:
    """Return a builder of a cohort."""
    return CohortBuilder(name)


def policy(
    *nodes: QueueBuilder | CohortBuilder,
    flavors: Mapping[str, Selector | Flavor] | None = None,
    rules: Iterable[Rule] | None = None,
    fair: tuple[FairStrategy, ...] = (),
    settings: QuotaSettings | None = None,
    **fields: Any,
) -> Policy:
    """
    Return a policy of these queues and cohorts; flavors that are not given match all workloads.

    Without *rules*, each queue has a rule for workloads whose label ``queue`` names it.
    """
    queues = [each.build() for each in nodes if isinstance(each, QueueBuilder)]
    cohorts = {each.name: each.build() for each in nodes if isinstance(each, CohortBuilder)}
    for each in nodes:
        if each.parent is not None:
            cohorts.setdefault(each.parent, Cohort(name=each.parent))
    named = {entry.flavor for each in nodes for group in each.groups for entry in group.flavors}
    known: dict[str, Selector | Flavor] = dict.fromkeys(sorted(named), EVERYTHING)
    known |= flavors or {}
    if rules is None and "routing" not in fields:
        rules = [
            Rule(index=index, queue=each.name, selector=only(queue=each.name))
            for index, each in enumerate(queues)
        ]
    return quota_policy(
        "native",
        flavors={
            name: each if isinstance(each, Flavor) else Flavor(name=name, selector=each)
            for name, each in known.items()
        },
        queues={each.name: each for each in queues},
        cohorts=cohorts,
        settings=settings or QuotaSettings(fair_sharing=fair),
        **{"routing": route_by(rules or ()), **fields},
    )


def rule(index: int, queue: str, selector: Selector = EVERYTHING, **priority: int | str) -> Rule:
    """Return a rule; *priority* holds fields of its priority policy."""
    return Rule(
        index=index,
        queue=queue,
        selector=selector,
        priority=PriorityPolicy(**priority),  # type: ignore[arg-type]
    )


def workload(
    name: str,
    sequence: int = 1,
    *pod_sets: PodSet,
    priority: int | None = None,
    labels: Mapping[str, str] | None = None,
    namespace: str = "",
    max_run_time: int | None = None,
    **requests: float | str,
) -> Workload:
    """Return a workload of *pod_sets*, or of one pod."""
    return Workload(
        id=name,
        sequence=sequence,
        labels=labels or {},
        namespace=namespace,
        priority=priority,
        max_run_time=max_run_time,
        pod_sets=pod_sets or (PodSet(requests=thousandths(**requests)),),
    )


class World:
    """An engine state that is driven by builders and reports decisions as text."""

    def __init__(
        self, *nodes: QueueBuilder | CohortBuilder, policy_: Policy | None = None, **settings: Any
    ) -> None:
        self.policy = policy_ if policy_ is not None else policy(*nodes, **settings)
        self.state = State(self.policy)
        self.decisions: list[Decision] = []
        self._submitted = 0

    def submit(
        self,
        *names: str,
        to: str | None = None,
        pod_sets: tuple[PodSet, ...] = (),
        labels: Mapping[str, str] | None = None,
        **fields: Any,
    ) -> Self:
        """Submit equal workloads to queue *to*, by default the first queue."""
        target = to or next(iter(self.policy.queues), "")
        for name in names:
            self._submitted += 1
            every = {"queue": target} | dict(labels or {})
            self.state.submit(workload(name, self._submitted, *pod_sets, labels=every, **fields))
        return self

    def finish(self, *names: str) -> Self:
        """Finish workloads."""
        for name in names:
            assert self.state.finish(name), f"{name} is not here"
        return self

    def withdraw(self, *names: str) -> Self:
        """Withdraw pending or running workloads."""
        for name in names:
            self.state.withdraw(name)
        return self

    def release(self, *names: str) -> Self:
        """Report that preempted workloads have stopped."""
        for name in names:
            assert self.state.release(name), f"{name} was not told to stop"
        return self

    def hold(self, queue: str) -> Self:
        """Hold a queue."""
        self.state.hold(queue)
        return self

    def resume(self, queue: str) -> Self:
        """Resume a queue."""
        self.state.resume(queue)
        return self

    def apply(
        self, *nodes: QueueBuilder | CohortBuilder, policy_: Policy | None = None, **settings: Any
    ) -> Self:
        """Change the policy."""
        self.policy = policy_ if policy_ is not None else policy(*nodes, **settings)
        self.state.change_policy(self.policy)
        return self

    def settle(self) -> list[str]:
        """Settle and return the decisions as text; a second settle must decide nothing."""
        self.decisions = self.state.settle()
        assert self.state.is_settled
        assert self.state.settle() == []
        return [decision_text(decision) for decision in self.decisions]

    def step(self) -> list[str]:
        """Run one cycle in every tree, and return the decisions as text."""
        self.decisions = self.state.step()
        return [decision_text(decision) for decision in self.decisions]

    def outcomes(self) -> dict[str, str]:
        """Return the outcome of every workload as text, from `State.explain`."""
        return {
            name: _outcome_text(self.state, name)
            for name in sorted({**self.state.pending, **self.state.running})
        }

    def runs(self, queue: str | None = None) -> set[str]:
        """Return the workloads that run (preempted ones included), of *queue* only if given."""
        return {
            name
            for name, running in self.state.running.items()
            if queue is None or running.queue == queue
        }

    def waiting_for_others(self, queue: str = "train") -> dict[str, set[str]]:
        """Return the waiting preemptors of a queue, each with the victims still running."""
        return {
            each.pending.workload.id: set(each.victims) for each in self.state.preemptors_in(queue)
        }

    def free(self, queue: str = "train", flavor: str = "any", resource: str = "gpu") -> str:
        """Return the available amount in units, as text."""
        amount = self.state.ledger.queue(queue).available((flavor, resource))
        return f"{amount / 1000:g}" if isinstance(amount, int) else "unlimited"


#: Reason of a preemption -> the words for it.
_PREEMPTION_WORDS = {
    PREEMPTED_IN_QUEUE: "preempted by",
    RECLAIMED_IN_COHORT: "reclaimed by",
    RECLAIMED_WHILE_BORROWING: "reclaimed while borrowing by",
    PREEMPTED_FOR_FAIR_SHARE: "stopped for the fair share of",
}


def decision_text(decision: Decision) -> str:
    """Return a decision as one line of text."""
    match decision.outcome:
        case Outcome.ADMITTED:
            return f"{decision.workload}: admitted{_assignment_text(decision.assignment)}"
        case Outcome.PREEMPTED if decision.reason is DRAINED:
            return f"{decision.workload}: drained"
        case Outcome.PREEMPTED if decision.inactive is not None and decision.preemptor is None:
            return f"{decision.workload}: stopped ({decision.reason})"
        case Outcome.PREEMPTED:
            return f"{decision.workload}: {_PREEMPTION_WORDS[decision.reason]} {decision.preemptor}"
        case Outcome.REJECTED:
            return f"{decision.workload}: rejected ({decision.reason})"
        case Outcome.WITHDRAWN:
            return f"{decision.workload}: withdrawn while running"
        case Outcome.PENDING if decision.reason is WAITING_FOR_PREEMPTED:
            return f"{decision.workload}: waits for {' and '.join(decision.victims)} to stop"
        case Outcome.PENDING:
            return f"{decision.workload}: pending ({decision.reason})"


def _outcome_text(state: State, name: str) -> str:
    outcome = state.explain(name).outcome
    if outcome.outcome is Outcome.ADMITTED:
        return f"admitted{_assignment_text(outcome.assignment)}"
    if outcome.outcome is Outcome.PREEMPTED:
        return "stopping"
    return f"pending ({outcome.reason})"


def _assignment_text(assignment: Assignment) -> str:
    """Return the flavors of a single pod, or the count and flavors of each pod set."""
    if len(assignment) == 1 and assignment[0].name == "main":
        flavors = list(dict.fromkeys(assignment[0].flavors.values()))
        return f" on {' and '.join(flavors)}" if flavors else ""
    parts = [
        f"{each.count} {each.name} on {' and '.join(dict.fromkeys(each.flavors.values()))}"
        for each in assignment
    ]
    return f" with {', '.join(parts)}" if parts else ""
