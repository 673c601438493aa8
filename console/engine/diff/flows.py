"""Flows: workloads that another rule matches than before, computed by regions and by history."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from console.engine.diff.ordered import Matches
from console.engine.diff.region_index import RegionIndex, most_listed_key
from console.engine.model.history import History
from console.engine.model.policy import Policy
from console.engine.routing.regions import Region, region_of
from console.engine.routing.rule_index import RuleIndex
from console.engine.routing.rule_routing import first_rule, rules_of
from console.engine.routing.rules import Rule

#: Maximum cost of one comparison, in tests of two regions for overlap. Rules that overlap in many
#: ways would otherwise take too long.
_MOST_LOOKS = 100_000
#: Cost of splitting a region, in the same unit.
_CUT = 10
#: Maximum number of rules tried to route the shapes of the history, the latest shapes first.
_MOST_JUDGED = 300_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """
    Workloads that matched rule *old* and match rule *new* now, by index; None: rejected.

    *where* is a region of such workloads; None when only recorded workloads are known.
    *runs* is the number of such workloads in the recorded days.
    """

    old: int | None
    new: int | None
    where: Region | None = None
    #: Whether *where* contains all such workloads.
    is_whole: bool = False
    runs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Flows:
    """All flows between two policies."""

    #: The kind of object that matches workloads.
    kind: str = "rule"
    flows: tuple[Flow, ...] = ()
    #: False: there were too many cases, so flows without recorded workloads may be missing.
    is_exact: bool = True
    #: Number of days of the history; 0: without a history.
    window_days: int = 0
    #: False: only the latest workloads of the history were routed.
    is_history_whole: bool = True


def rule_flows(old: Policy, new: Policy, matches: Matches, history: History | None) -> Flows:
    """
    Return the flows from *old* to *new*: workloads that another rule matches.

    *matches* has the matching rules. Policies without rules have no flows.
    """
    if not rules_of(old) or not rules_of(new) or matches.are_all_the_same:
        return Flows()
    pairs = [*matches.same, *matches.changed, *matches.moved]
    successors = {before.place: after.place for before, after in pairs}
    unchanged = {before.place for before, _ in matches.same}
    budget = _Budget(_MOST_LOOKS)
    found = _exact(rules_of(old), rules_of(new), successors, unchanged, budget)
    runs, is_whole = _recorded_runs(old, new, successors, history)
    return Flows(
        flows=tuple(
            Flow(
                old=key[0],
                new=key[1],
                where=found[key][0] if key in found else None,
                is_whole=len(found.get(key, ())) == 1,
                runs=runs.get(key, 0),
            )
            for key in sorted({*found, *runs}, key=_order)
        ),
        is_exact=not budget.is_spent,
        window_days=history.window_days if history is not None else 0,
        is_history_whole=is_whole,
    )


_Key = tuple[int | None, int | None]
_Found = dict[_Key, list[Region]]


@dataclass(slots=True)
class _Budget:
    """The number of overlap tests left."""

    left: int

    @property
    def is_spent(self) -> bool:
        return self.left < 0

    def split(self, pieces: Sequence[Region], by: Region) -> tuple[list[Region], list[Region]]:
        """
        Return the parts of *pieces* inside the region *by*, and those outside.

        Both are empty when the budget is exhausted.
        """
        inside: list[Region] = []
        outside: list[Region] = []
        for piece in pieces:
            self.left -= 1
            if self.is_spent:
                return [], []
            if not piece.overlaps(by):
                outside.append(piece)
                continue
            self.left -= _CUT
            common = piece.intersection(by)
            if common is not None:
                inside.append(common)
            outside.extend(piece.without(by))
        return inside, outside


class _Unmatched:
    """The workloads that no older rule has matched so far, as regions."""

    def __init__(self, key: str) -> None:
        self._pieces = RegionIndex(key)
        self._pieces.add(0, Region())
        self._next = 1

    def take(self, region: Region, budget: _Budget) -> list[Region]:
        """Remove *region*, and return the removed parts."""
        taken: list[Region] = []
        for number, piece in list(self._pieces.may_overlap(region)):
            inside, outside = budget.split([piece], region)
            if not inside:
                continue
            taken += inside
            self._pieces.remove(number)
            for rest in outside:
                self._pieces.add(self._next, rest)
                self._next += 1
        return taken


def _exact(
    old: Sequence[Rule],
    new: Sequence[Rule],
    successors: Mapping[int, int],
    unchanged: Collection[int],
    budget: _Budget,
) -> _Found:
    """
    Return the regions of each older rule that the matching newer rule does not match.

    Unchanged rules keep their order, so no workload moves from one to another. Their regions
    are compared with all other rules only; the rest stays with the same rule.
    """
    before, now = (
        {rule.index: region for rule in rules if (region := region_of(rule)) is not None}
        for rules in (old, new)
    )
    key = most_listed_key((*before.values(), *now.values()))
    after, others, unmatched = RegionIndex(key), RegionIndex(key), _Unmatched(key)
    same = {successors[index] for index in unchanged}
    for index, region in now.items():
        after.add(index, region)
        if index not in same:
            others.add(index, region)
    found: _Found = {}
    for index, region in before.items():
        own = unmatched.take(region, budget)
        successor = successors.get(index)
        if index in unchanged and successor is not None:
            above = _above(successor, others.may_overlap(region))
            _record_flows(index, own, above, successor, found, budget)
        elif rest := _record_flows(index, own, after.may_overlap(region), successor, found, budget):
            found.setdefault((index, None), []).extend(rest)
        if budget.is_spent:
            return found
    _record_flows(
        None, unmatched.take(Region(), budget), after.may_overlap(Region()), None, found, budget
    )
    return found


def _above(successor: int, rules: Iterable[tuple[int, Region]]) -> Iterator[tuple[int, Region]]:
    """Yield the *rules* that are tried before *successor*."""
    for index, region in rules:
        if index >= successor:
            return
        yield index, region


def _record_flows(
    index: int | None,
    unmatched: list[Region],
    after: Iterable[tuple[int, Region]],
    successor: int | None,
    found: _Found,
    budget: _Budget,
) -> list[Region]:
    """Record the newer rules that match the *unmatched* regions, and return the rest of these."""
    if not unmatched:
        return unmatched
    for newer, region in after:
        taken, unmatched = budget.split(unmatched, region)
        if taken and newer != successor:
            found.setdefault((index, newer), []).extend(taken)
        if not unmatched:
            break
    return unmatched


def _recorded_runs(
    old: Policy, new: Policy, successors: Mapping[int, int], history: History | None
) -> tuple[dict[_Key, int], bool]:
    """Return the number of recorded workloads of each flow, and whether all were routed."""
    if history is None:
        return {}, True
    before, after = RuleIndex(rules_of(old)), RuleIndex(rules_of(new))
    known: dict[tuple[int, int | None], _Key] = {}
    runs: dict[_Key, int] = {}
    for shape in history.shapes:
        labels, priority = shape.workload.labels, shape.workload.priority
        # Shapes with equal labels share one mapping.
        alike = (id(labels), priority)
        if alike not in known:
            if before.tried_count + after.tried_count > _MOST_JUDGED:
                return runs, False
            was, now = (first_rule(rules, labels, priority) for rules in (before, after))
            known[alike] = _place(was), _place(now)
        key = known[alike]
        if key[1] is None if key[0] is None else successors.get(key[0], -1) == key[1]:
            continue
        runs[key] = runs.get(key, 0) + shape.runs
    return runs, history.is_complete


def _place(rule: Rule | None) -> int | None:
    return rule.index if rule is not None else None


def _order(key: _Key) -> tuple[bool, int, bool, int]:
    """Return the sort key of a flow: by newer rule, then older rule, rejections last."""
    old, new = key
    return new is None, new or 0, old is None, old or 0
