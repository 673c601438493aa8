"""Flows: which workloads another rule takes than before, by exact reasoning and by history."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from console.engine.diff.renames import find_renames
from console.engine.diff.rules import match_rules
from console.engine.history import History, Shape
from console.engine.policy import Policy, Rule
from console.engine.regions import Region, region_of
from console.engine.routing import Router

#: What one comparison may cost, in looks at two regions. Rules that overlap in many ways can ask
#: for more than anybody waits for.
_MOST_LOOKS = 200_000
#: What cutting a region costs, in looks.
_CUT = 10
#: Looks at a region or a rule for a shape of the history. Where regions do not tell, shapes are
#: routed twice, those seen last first.
_MOST_MATCHES = 300_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """
    Workloads that rule *old* took and rule *new* takes now, by index; None: no rule, rejected.

    *where* tells some or all of them by labels and priority; None when only history
    knows of them. *runs* is how many there were in the recorded days.
    """

    old: int | None
    new: int | None
    where: Region | None = None
    #: Whether *where* is all of them.
    is_whole: bool = False
    runs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Flows:
    """All flows between two policies."""

    flows: tuple[Flow, ...] = ()
    #: False: too many cases; flows that nobody has seen may be missing.
    is_exact: bool = True
    #: Days of history that were looked at; 0: none was.
    window_days: int = 0
    #: False: only the workloads seen last were looked at.
    is_history_whole: bool = True


def flows_between(old: Policy, new: Policy, history: History | None = None) -> Flows:
    """
    Return which workloads change their rule from *old* to *new*.

    Two rules that lead to one queue under a new name, or that only stand at
    another place, are one. Policies without rules have no flows.
    """
    if not old.rules or not new.rules:
        return Flows()
    known = find_renames(old, new).apply(old)
    matches = match_rules(known.rules, new.rules)
    if len(matches.same) == len(known.rules) == len(new.rules):
        return Flows()
    pairs = [*matches.same, *matches.changed, *matches.moved]
    heirs = {before.index: after.index for before, after in pairs}
    unchanged = {before.index for before, _ in matches.same}
    budget = _Budget(_MOST_LOOKS)
    found = _exact(known.rules, new.rules, heirs, unchanged, budget)
    runs, is_whole = _seen(old, new, heirs, found, budget, history)
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
    """How many looks are left."""

    left: int

    @property
    def is_spent(self) -> bool:
        return self.left < 0

    def cut(self, pieces: Sequence[Region], away: Region) -> list[Region]:
        """Return *pieces* without *away*; nothing once the budget is spent."""
        self.left -= len(pieces)
        if self.is_spent:
            return []
        found: list[Region] = []
        for piece in pieces:
            if piece.meets(away):
                self.left -= _CUT
                found.extend(piece.without(away))
            else:
                found.append(piece)
        return found


def _exact(
    old: Sequence[Rule],
    new: Sequence[Rule],
    heirs: Mapping[int, int],
    unchanged: Collection[int],
    budget: _Budget,
) -> _Found:
    """
    Return what of the land of each older rule its heir does not take.

    Unchanged rules keep their order, so none of them takes from another: theirs
    is held against the other rules alone, and the rest is their heir's.
    """
    after = [(rule.index, region) for rule in new if (region := region_of(rule)) is not None]
    same = {heirs[index] for index in unchanged}
    others = [(index, region) for index, region in after if index not in same]
    found: _Found = {}
    land = [Region()]
    for rule in old:
        region = region_of(rule)
        if region is None:
            continue
        mine = [piece.common(region) for piece in land if piece.meets(region)]
        own = [piece for piece in mine if piece is not None]
        heir = heirs.get(rule.index)
        if rule.index in unchanged and heir is not None:
            before_heir = [each for each in others if each[0] < heir]
            _trace(rule.index, own, before_heir, heir, found, budget)
        else:
            rest = _trace(rule.index, own, after, heir, found, budget)
            if rest and not budget.is_spent:
                found.setdefault((rule.index, None), []).extend(rest)
        land = budget.cut(land, region)
        if budget.is_spent:
            return found
    _trace(None, land, after, None, found, budget)
    return found


def _trace(
    index: int | None,
    land: list[Region],
    after: Sequence[tuple[int, Region]],
    heir: int | None,
    found: _Found,
    budget: _Budget,
) -> list[Region]:
    """Note which of the newer rules take the *land* of an older one; return what none takes."""
    for taker, region in after:
        if not land:
            break
        if taker != heir:
            taken = [piece.common(region) for piece in land if piece.meets(region)]
            if taken:
                found.setdefault((index, taker), []).extend(filter(None, taken))
        land = budget.cut(land, region)
    return land


def _seen(
    old: Policy,
    new: Policy,
    heirs: Mapping[int, int],
    found: _Found,
    budget: _Budget,
    history: History | None,
) -> tuple[dict[_Key, int], bool]:
    """Return how many recorded workloads each flow has, and whether all were looked at."""
    if history is None:
        return {}, True
    regions = sum(map(len, found.values()))
    if not budget.is_spent and regions * len(history.shapes) <= _MOST_MATCHES:
        return _in_regions(found, history), history.is_complete
    most = _MOST_MATCHES // (len(old.rules) + len(new.rules))
    runs = _routed(old, new, heirs, history.shapes[:most])
    return runs, history.is_complete and len(history.shapes) <= most


def _in_regions(found: _Found, history: History) -> dict[_Key, int]:
    runs = dict.fromkeys(found, 0)
    for shape in history.shapes:
        labels, priority = shape.workload.labels, shape.workload.priority
        for key, regions in found.items():
            if any(region.has(labels, priority) for region in regions):
                runs[key] += shape.runs
                # No workload flows two ways.
                break
    return runs


def _routed(
    old: Policy, new: Policy, heirs: Mapping[int, int], shapes: Sequence[Shape]
) -> dict[_Key, int]:
    before, after = Router(old), Router(new)
    runs: dict[_Key, int] = {}
    for shape in shapes:
        was, now = before.route(shape.workload).rule, after.route(shape.workload).rule
        if was == now is None or (was is not None and heirs.get(was) == now is not None):
            continue
        runs[was, now] = runs.get((was, now), 0) + shape.runs
    return runs


def _order(key: _Key) -> tuple[bool, int, bool, int]:
    """Rejected workloads last."""
    old, new = key
    return new is None, new or 0, old is None, old or 0
