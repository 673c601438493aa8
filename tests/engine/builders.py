"""
A small language for worlds: queues that own quota, workloads that ask for it, and rounds.

    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("sweep", gpu=4)
    assert world.settle() == ["sweep: admitted on any"]

Amounts are whole units or text with decimals. A workload goes to the queue that
its label ``queue`` names, which is the world's first queue unless it says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Self

from console.engine.amounts import UNLIMITED, Amount, parse_amount
from console.engine.decision import Decision, Outcome, Reason
from console.engine.policy import (
    Flavor,
    FlavorQuotas,
    Policy,
    Preemption,
    PreemptionRule,
    PriorityPolicy,
    Queue,
    Quota,
    ResourceGroup,
    Rule,
)
from console.engine.selectors import EVERYTHING, MatchExpression, Operator, Selector
from console.engine.state import State
from console.engine.workload import PodSet, Workload


def units(amount: float | str | None) -> Amount:
    """Return thousandths; None is UNLIMITED."""
    return UNLIMITED if amount is None else parse_amount(str(amount))


def asks(**requests: float | str) -> dict[str, int]:
    """Return requests in thousandths."""
    return {resource: parse_amount(str(amount)) for resource, amount in requests.items()}


def only(**labels: str) -> Selector:
    """Return a selector that asks for exactly these values."""
    return Selector(tuple(MatchExpression(k, Operator.IN, (v,)) for k, v in labels.items()))


class QueueBuilder:
    """A queue in the making; `owns` adds to the present resource group."""

    def __init__(self, name: str) -> None:
        self._queue = Queue(name=name)
        self._groups: list[list[FlavorQuotas]] = []

    def owns(self, flavor: str = "any", **quota: float | str | None) -> Self:
        """Add a flavor with its nominal quota by resource; None is unlimited."""
        if not self._groups:
            self._groups.append([])
        quotas = {resource: Quota(nominal=units(amount)) for resource, amount in quota.items()}
        self._groups[-1].append(FlavorQuotas(flavor=flavor, quotas=quotas))
        return self

    def and_apart(self) -> Self:
        """Begin another resource group."""
        self._groups.append([])
        return self

    def preempts(self) -> Self:
        """Let its workloads stop those of lower priority."""
        preemption = Preemption(within_queue=PreemptionRule.LOWER_PRIORITY)
        self._queue = replace(self._queue, preemption=preemption)
        return self

    def build(self) -> Queue:
        """Return the queue."""
        groups = tuple(
            ResourceGroup(resources=tuple(entries[0].quotas), flavors=tuple(entries))
            for entries in self._groups
        )
        return replace(self._queue, groups=groups, is_passthrough=not groups)


def queue(name: str = "train") -> QueueBuilder:
    """Begin a queue; without `owns` it is passthrough."""
    return QueueBuilder(name)


def policy(
    *queues: QueueBuilder,
    flavors: Mapping[str, Selector] | None = None,
    rules: Iterable[Rule] | None = None,
) -> Policy:
    """
    Return a policy of these queues; flavors that have no selector here accept everything.

    Without *rules* each queue takes the workloads whose label ``queue`` names it.
    """
    built = [each.build() for each in queues]
    named = {entry.flavor for each in built for group in each.groups for entry in group.flavors}
    selectors = dict.fromkeys(sorted(named), EVERYTHING) | dict(flavors or {})
    if rules is None:
        rules = [
            Rule(index=index, queue=each.name, selector=only(queue=each.name))
            for index, each in enumerate(built)
        ]
    return Policy(
        dialect="native",
        flavors={name: Flavor(name=name, selector=each) for name, each in selectors.items()},
        queues={each.name: each for each in built},
        rules=tuple(rules),
    )


def rule(index: int, queue: str, selector: Selector = EVERYTHING, **priority: int | str) -> Rule:
    """Return a rule; *priority* are fields of its priority policy."""
    return Rule(
        index=index,
        queue=queue,
        selector=selector,
        priority=PriorityPolicy(**priority),  # type: ignore[arg-type]
    )


def workload(
    name: str,
    sequence: int = 1,
    *,
    priority: int | None = None,
    labels: Mapping[str, str] | None = None,
    **requests: float | str,
) -> Workload:
    """Return a workload of one pod."""
    return Workload(
        id=name,
        sequence=sequence,
        labels=labels or {},
        priority=priority,
        pod_sets=(PodSet(requests=asks(**requests)),),
    )


class World:
    """A state that is told facts in the small language, and answers in it."""

    def __init__(self, *queues: QueueBuilder, policy_: Policy | None = None) -> None:
        self.policy = policy_ if policy_ is not None else policy(*queues)
        self.state = State(self.policy)
        self.decisions: list[Decision] = []
        self._submitted = 0

    def submit(
        self,
        *names: str,
        to: str | None = None,
        priority: int | None = None,
        labels: Mapping[str, str] | None = None,
        **requests: float | str,
    ) -> Self:
        """Submit alike workloads to a queue, which is the first one by default."""
        target = to or next(iter(self.policy.queues), "")
        for name in names:
            self._submitted += 1
            every = {"queue": target} | dict(labels or {})
            self.state.submit(
                workload(name, self._submitted, priority=priority, labels=every, **requests)
            )
        return self

    def finish(self, *names: str) -> Self:
        """Let workloads end."""
        for name in names:
            assert self.state.finish(name), f"{name} is not here"
        return self

    def withdraw(self, *names: str) -> Self:
        """Let submitters take back workloads, whether they wait or run."""
        for name in names:
            self.state.withdraw(name)
        return self

    def release(self, *names: str) -> Self:
        """Let preempted workloads have stopped."""
        for name in names:
            assert self.state.release(name), f"{name} was not told to stop"
        return self

    def apply(self, *queues: QueueBuilder, policy_: Policy | None = None) -> Self:
        """Change the policy."""
        self.policy = policy_ if policy_ is not None else policy(*queues)
        self.state.change_policy(self.policy)
        return self

    def settle(self) -> list[str]:
        """Settle, and return the decisions in words; a second settle has to decide nothing."""
        self.decisions = self.state.settle()
        assert self.state.is_settled
        assert self.state.settle() == []
        return [in_words(decision) for decision in self.decisions]

    def standing(self) -> dict[str, str]:
        """Return where everybody is, as `explain` has it."""
        return {
            name: _standing(self.state, name)
            for name in sorted({**self.state.pending, **self.state.running})
        }

    def free(self, queue: str = "train", flavor: str = "any", resource: str = "gpu") -> str:
        """Return what is available in whole units or decimals."""
        amount = self.state.ledger.queue(queue).available((flavor, resource))
        return f"{amount / 1000:g}" if isinstance(amount, int) else "unlimited"


def in_words(decision: Decision) -> str:
    """Return a decision as one short line."""
    match decision.outcome:
        case Outcome.ADMITTED:
            return f"{decision.workload}: admitted{_on(decision.assignment)}"
        case Outcome.PREEMPTED:
            return f"{decision.workload}: preempted by {decision.preemptor}"
        case Outcome.REJECTED:
            return f"{decision.workload}: rejected ({decision.reason.value})"
        case Outcome.WITHDRAWN:
            return f"{decision.workload}: withdrawn while running"
        case Outcome.PENDING if decision.reason is Reason.WAITING_FOR_PREEMPTED:
            victims = " and ".join(decision.victims) or "others"
            return f"{decision.workload}: waits for {victims} to stop"
        case Outcome.PENDING:
            return f"{decision.workload}: pending ({decision.reason.value})"


def _standing(state: State, name: str) -> str:
    outcome = state.explain(name).outcome
    if outcome.outcome is Outcome.ADMITTED:
        return f"admitted{_on(outcome.assignment)}"
    if outcome.outcome is Outcome.PREEMPTED:
        return "stopping"
    return f"pending ({outcome.reason.value})"


def _on(assignment: Mapping[str, str]) -> str:
    flavors = list(dict.fromkeys(assignment.values()))
    return f" on {' and '.join(flavors)}" if flavors else ""
