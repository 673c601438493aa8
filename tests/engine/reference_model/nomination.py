"""Nomination of a head: flavor assignment, preemption targets, partial admission (spec 6.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from console.engine.disciplines.quota.spec import QueueSpec, spec_of
from console.engine.model.workload import Workload
from tests.engine.reference_model.candidates import Preemptor, Target
from tests.engine.reference_model.classical import classical_targets
from tests.engine.reference_model.fair import fair_targets
from tests.engine.reference_model.flavors import Choices, Mode, Nomination, Walker
from tests.engine.reference_model.tree import Tree
from tests.engine.reference_model.world import Pair, Running, Scan


@dataclass(frozen=True, kw_only=True)
class Nominated:
    """The assignment of a workload and its preemption targets."""

    choices: Choices
    targets: tuple[Target, ...] = ()

    @property
    def is_good(self) -> bool:
        """Return whether the workload fits, now or once the targets have stopped."""
        if self.choices.is_no_fit:
            return False
        return self.choices.is_fit or bool(self.targets)


@dataclass(frozen=True, kw_only=True)
class Nominator:
    """Nominates one workload of *queue* in the current world."""

    tree: Tree
    running: Sequence[Running]
    queue: QueueSpec
    workload: Workload
    priority: int
    scan: Scan | None = None
    nomination: Nomination | None = None
    #: Whether pod sets may start with fewer pods than requested (partial admission).
    may_shrink: bool = field(default=True)

    def nominate(self) -> Nominated:
        """Return the nomination for all pods, else the largest good one for fewer pods."""
        pod_sets = self.workload.pod_sets
        full = self._try({each.name: each.count for each in pod_sets})
        spare = {
            each.name: each.count - (each.count if each.min_count is None else each.min_count)
            for each in pod_sets
        }
        steps = sum(spare.values())
        if full.is_good or not steps or not self.may_shrink:
            return full
        # Binary search, as in Kueue: finds the smallest good step if every step after a good one is
        # good too.
        found = full
        low, high = 0, steps + 1
        while low < high:
            step = (low + high) // 2
            tested = self._try(
                {each.name: each.count - spare[each.name] * step // steps for each in pod_sets}
            )
            if tested.is_good:
                found, high = tested, step
            else:
                low = step + 1
        return found

    def targets(self, request: dict[Pair, int], short: set[Pair]) -> list[Target]:
        """Return the preemption targets for *request*, of which *short* is not free."""
        preemptor = Preemptor(
            queue=self.queue,
            priority=self.priority,
            sequence=self.workload.sequence,
            request={pair: amount for pair, amount in request.items() if amount},
            short=short,
        )
        strategies = spec_of(self.tree.policy).settings.fair_sharing
        if strategies:
            return fair_targets(self.tree, self.running, preemptor, strategies)
        return classical_targets(self.tree, self.running, preemptor)

    def _try(self, counts: dict[str, int]) -> Nominated:
        walker = Walker(
            tree=self.tree,
            queue=self.queue,
            workload=self.workload,
            oracle=self._simulate,
            scan=self.scan,
            nomination=self.nomination,
        )
        choices = walker.assign(counts)
        if choices.is_fit or choices.is_no_fit:
            return Nominated(choices=choices)
        return Nominated(choices=choices, targets=tuple(self.targets(choices.usage, choices.short)))

    def _simulate(self, pair: Pair, amount: int) -> tuple[Mode, int]:
        """Return mode and level of preemption for one flavor-resource alone (spec 6.4)."""
        targets = self.targets({pair: amount}, {pair})
        after = self.tree.without(each.running for each in targets)
        level, _ = after.level(self.queue, pair, amount)
        if not targets:
            return Mode.NO_CANDIDATES, level
        if any(each.running.queue == self.queue.name for each in targets):
            return Mode.PREEMPT, level
        return Mode.RECLAIM, level
