"""Flows: which workloads another rule takes than before, by exact reasoning and by history."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from console.engine.diff.renames import find_renames
from console.engine.diff.rules import match_rules
from console.engine.history import History
from console.engine.policy import Policy, Rule
from console.engine.regions import Region, region_of
from console.engine.routing import Router

#: Cuts of regions that one comparison makes. Rules that overlap in many ways can ask for more
#: than anybody waits for.
_MOST_CUTS = 40_000
#: Shapes of the history that are routed twice, those seen last.
_MOST_SHAPES = 2000


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
    pairs = [*matches.same, *matches.changed, *matches.moved]
    heirs = {before.index: after.index for before, after in pairs}
    if matches.same and len(matches.same) == len(known.rules) == len(new.rules):
        return Flows()
    same = {(before.index, after.index) for before, after in matches.same}
    head = _common_head(known.rules, new.rules, same)
    cuts = _Cuts()
    land = [Region()]
    for rule in new.rules[:head]:
        # These come first in both and take the same: what they take flows nowhere.
        if (region := region_of(rule)) is not None:
            land = cuts.cut(land, region)
    found = _exact(land, known.rules[head:], new.rules[head:], heirs, cuts)
    runs: dict[tuple[int | None, int | None], int] = {}
    if history is not None:
        runs = _recorded(old, new, heirs, history)
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
        is_exact=not cuts.is_spent,
        window_days=history.window_days if history is not None else 0,
        is_history_whole=history is None
        or (history.is_complete and len(history.shapes) <= _MOST_SHAPES),
    )


_Key = tuple[int | None, int | None]


@dataclass(slots=True)
class _Cuts:
    """How many cuts may still be made."""

    left: int = _MOST_CUTS

    @property
    def is_spent(self) -> bool:
        return self.left < 0

    def cut(self, pieces: Iterable[Region], away: Region) -> list[Region]:
        """Return *pieces* without *away*."""
        found: list[Region] = []
        for piece in pieces:
            self.left -= 1
            if self.is_spent:
                return []
            found.extend(piece.without(away))
        return found


def _common_head(
    old: Sequence[Rule], new: Sequence[Rule], same: Collection[tuple[int, int]]
) -> int:
    """Return how many rules both begin with."""
    for count, (before, after) in enumerate(zip(old, new, strict=False)):
        if (before.index, after.index) not in same:
            return count
    return min(len(old), len(new))


def _exact(
    land: list[Region],
    old: Sequence[Rule],
    new: Sequence[Rule],
    heirs: Mapping[int, int],
    cuts: _Cuts,
) -> dict[_Key, list[Region]]:
    """Return what of the *land* of each older rule its heir does not take."""
    before = [(rule.index, region) for rule in old if (region := region_of(rule)) is not None]
    after = [(rule.index, region) for rule in new if (region := region_of(rule)) is not None]
    found: dict[_Key, list[Region]] = {}
    for index, region in before:
        mine = [common for piece in land if (common := piece.common(region)) is not None]
        land = cuts.cut(land, region)
        _trace(index, mine, after, heirs.get(index), found, cuts)
        if cuts.is_spent:
            return found
    _trace(None, land, after, None, found, cuts)
    return found


def _trace(
    index: int | None,
    land: list[Region],
    after: Sequence[tuple[int, Region]],
    heir: int | None,
    found: dict[_Key, list[Region]],
    cuts: _Cuts,
) -> None:
    """Note which of the newer rules take the *land* of an older one."""
    for taker, region in after:
        if not land:
            return
        if taker != heir:
            for piece in land:
                if (common := piece.common(region)) is not None:
                    found.setdefault((index, taker), []).append(common)
        land = cuts.cut(land, region)
        if cuts.is_spent:
            return
    if index is not None and land:
        found.setdefault((index, None), []).extend(land)


def _recorded(
    old: Policy, new: Policy, heirs: Mapping[int, int], history: History
) -> dict[_Key, int]:
    before, after = Router(old), Router(new)
    runs: dict[_Key, int] = {}
    for shape in history.shapes[:_MOST_SHAPES]:
        was, now = before.route(shape.workload).rule, after.route(shape.workload).rule
        if was == now is None or (was is not None and heirs.get(was) == now is not None):
            continue
        runs[was, now] = runs.get((was, now), 0) + shape.runs
    return runs


def _order(key: _Key) -> tuple[bool, int, bool, int]:
    """Rejected workloads last."""
    old, new = key
    return new is None, new or 0, old is None, old or 0
