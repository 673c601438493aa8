"""Impact on recorded workloads: compares route and fit of their shapes under two policies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from console.engine.impact.fit import Fit, Standing, StandingEvaluator, request_of
from console.engine.impact.uncertain import Doubt, DoubtKind, Unrecorded
from console.engine.model.history import History, Shape
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.routing.local_queues import local_routing_of
from console.engine.routing.rule_routing import rules_of
from console.engine.routing.rules import Rule

#: Number of shapes between two calls that report progress.
STRETCH = 500


class HistoryOutcome(StrEnum):
    """The effect of another policy on the workloads of a shape."""

    UNCHANGED = "unchanged"
    #: They get another queue or priority, and can start as before.
    MOVED = "moved"
    #: They are rejected, and were not before.
    REJECTED = "rejected"
    #: They are not rejected, but can never start.
    NEVER_FITS = "never_fits"
    #: They can start, and could not before.
    ACCEPTED = "accepted"
    #: The policy refers to labels or namespaces that were not recorded.
    CANNOT_TELL = "cannot_tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeImpact:
    """One shape, its standing under both policies, and the outcome."""

    shape: Shape
    outcome: HistoryOutcome
    before: Standing
    #: For the shape as recorded, without labels that were not recorded.
    after: Standing
    #: The missing facts that could change the outcome; only with CANNOT_TELL.
    doubts: tuple[tuple[DoubtKind, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryImpact:
    """The impact on the recorded workloads of a window of days."""

    window_days: int
    is_complete: bool
    #: The shapes with the most runs first.
    shapes: tuple[ShapeImpact, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    @property
    def runs(self) -> int:
        """The number of workloads that the shapes represent."""
        return sum(each.shape.runs for each in self.shapes)


def history_impact(
    before: Policy,
    after: Policy,
    history: History,
    report_progress: Callable[[int], None] = lambda done: None,
    *,
    inventory: Inventory | None = None,
) -> HistoryImpact:
    """
    Return the impact on *history* of the policy *after*, compared with *before*.

    *inventory* are the present clusters, if a discipline of both reads them.

    *report_progress* is called regularly with the number of shapes compared.
    """
    comparison = _Comparison(before, after, history, inventory or Inventory())
    found: list[ShapeImpact] = []
    for shape in history.shapes:
        found.append(comparison.compare(shape))
        if len(found) % STRETCH == 0:
            report_progress(len(found))
    report_progress(len(found))
    found.sort(key=lambda each: (-each.shape.runs, each.shape.workload.id))
    return HistoryImpact(
        window_days=history.window_days,
        is_complete=history.is_complete,
        shapes=tuple(found),
        doubts=tuple(comparison.doubts(found)),
    )


class _Comparison:
    def __init__(
        self, before: Policy, after: Policy, history: History, inventory: Inventory
    ) -> None:
        self._unrecorded = Unrecorded(before, after, history.shapes)
        self._before = StandingEvaluator(before, inventory)
        self._after = StandingEvaluator(after, inventory)
        self._extremes = [
            StandingEvaluator(policy, inventory) for policy in self._unrecorded.extremes()
        ]

    def compare(self, shape: Shape) -> ShapeImpact:
        workload = shape.workload
        request = request_of(workload)
        before = self._before.standing(workload, request)
        after = self._after.standing(workload, request)
        outcome, doubts = _outcome(before, after), self._route_doubts(shape)
        if not doubts:
            extremes = [judge.standing(workload, request) for judge in self._extremes]
            if any(each.fit is not after.fit for each in extremes):
                doubts = self._flavor_doubts(after)
        if doubts:
            outcome = HistoryOutcome.CANNOT_TELL
        return ShapeImpact(shape=shape, outcome=outcome, before=before, after=after, doubts=doubts)

    def _route_doubts(self, shape: Shape) -> tuple[tuple[DoubtKind, str], ...]:
        unrecorded = self._unrecorded
        routing = local_routing_of(self._after.policy)
        if routing is not None:
            missing = []
            if unrecorded.lacks_namespaces:
                missing.append((DoubtKind.NAMESPACE, ""))
            if unrecorded.lacks_queue_names:
                missing.append((DoubtKind.LABEL, routing.queue_label))
            return tuple(missing)
        if not unrecorded.keys:
            return ()
        return self._labels(unrecorded.open_rules(shape.workload))

    def _labels(self, rules: tuple[Rule, ...]) -> tuple[tuple[DoubtKind, str], ...]:
        keys = {key for rule in rules for key in self._unrecorded.keys_of(rule.selector)}
        return tuple((DoubtKind.LABEL, key) for key in sorted(keys))

    def _flavor_doubts(self, after: Standing) -> tuple[tuple[DoubtKind, str], ...]:
        selectors = self._after.policy.spec.selectors_of(after.queue or "").values()
        keys = {key for each in selectors for key in self._unrecorded.keys_of(each)}
        return tuple((DoubtKind.LABEL, key) for key in sorted(keys))

    def doubts(self, found: list[ShapeImpact]) -> Iterator[Doubt]:
        """Yield the missing facts of *found*, with the rules and flavors that refer to them."""
        counted: dict[tuple[DoubtKind, str], list[int]] = {}
        for each in found:
            for doubt in each.doubts:
                counts = counted.setdefault(doubt, [0, 0])
                counts[0] += 1
                counts[1] += each.shape.runs
        policy = self._after.policy
        for (kind, key), (shapes, runs) in sorted(counted.items()):
            yield Doubt(
                kind=kind,
                key=key,
                rules=tuple(r.index for r in rules_of(policy) if r.selector.refers_to(key)),
                flavors=tuple(
                    name
                    for name, selector in policy.spec.selectors().items()
                    if selector.refers_to(key)
                ),
                shapes=shapes,
                runs=runs,
            )


def _outcome(before: Standing, after: Standing) -> HistoryOutcome:
    if after.fit is Fit.REJECTED:
        if before.fit is Fit.REJECTED:
            return HistoryOutcome.UNCHANGED
        return HistoryOutcome.REJECTED
    if after.fit.starts and not before.fit.starts:
        return HistoryOutcome.ACCEPTED
    if before.fit.starts and not after.fit.starts:
        return HistoryOutcome.NEVER_FITS
    if before.fit is Fit.REJECTED:
        return HistoryOutcome.NEVER_FITS
    if (before.queue, before.priority) == (after.queue, after.priority):
        return HistoryOutcome.UNCHANGED
    return HistoryOutcome.MOVED
