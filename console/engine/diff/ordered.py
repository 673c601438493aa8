"""Compares two ordered lists of objects: added, removed, changed and moved objects."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from console.engine.diff.objects import ObjectKind, PolicyObject, are_alike, fact_differences
from console.engine.diff.order import gaps, in_order
from console.engine.diff.plain import plain
from console.engine.diff.values import Change, ChangeKind, FieldChange

_Pairs = list[tuple[PolicyObject, PolicyObject]]
_Key = Callable[[PolicyObject], Hashable]


@dataclass(slots=True)
class Matches:
    """Objects of two ordered lists: pairs, as (older, newer), and objects without a counterpart."""

    same: _Pairs = field(default_factory=list)
    changed: _Pairs = field(default_factory=list)
    moved: _Pairs = field(default_factory=list)
    removed: list[PolicyObject] = field(default_factory=list)
    added: list[PolicyObject] = field(default_factory=list)

    @property
    def are_all_the_same(self) -> bool:
        """Whether the lists are equal."""
        return not (self.changed or self.moved or self.removed or self.added)


def match_ordered(
    kind: ObjectKind, old: Sequence[PolicyObject], new: Sequence[PolicyObject]
) -> Matches:
    """
    Return the matching objects of an ordered *kind*.

    First, as many equal objects as possible are matched in order. Between them, objects with the
    same target, or with otherwise equal facts, match as changed. Then, at any position, equal
    objects, and objects with the same target and selection, match as moved.
    """
    found = Matches()
    matched = _matched_in_order(old, new)
    found.same += ((old[i], new[j]) for i, j in matched)
    for gap in gaps(matched, len(old), len(new)):
        left, right = [old[i] for i in gap.old], [new[j] for j in gap.new]
        for key in keys_between(kind):
            found.changed += _take(left, right, key)
        found.removed += left
        found.added += right
    found.moved += _take(found.removed, found.added, meaning)
    if kind.selects_by:
        found.moved += _take(found.removed, found.added, lambda each: (each.target, _selects(each)))
    return found


def _matched_in_order(
    old: Sequence[PolicyObject], new: Sequence[PolicyObject]
) -> list[tuple[int, int]]:
    """Return the positions of equal objects that keep their order."""
    # Usually long lists have few differences: only the part with differences becomes text.
    start = _count_alike(old, new)
    end = _count_alike(reversed(old[start:]), reversed(new[start:]))
    ends = len(old) - end, len(new) - end
    middle = in_order([*map(meaning, old[start : ends[0]])], [*map(meaning, new[start : ends[1]])])
    return [
        *((place, place) for place in range(start)),
        *((i + start, j + start) for i, j in middle),
        *zip(range(ends[0], len(old)), range(ends[1], len(new)), strict=True),
    ]


def _count_alike(old: Iterable[PolicyObject], new: Iterable[PolicyObject]) -> int:
    """Return the number of objects at the beginning with equal facts."""
    count = 0
    for before, after in zip(old, new, strict=False):
        if not are_alike(before.facts, after.facts):
            break
        count += 1
    return count


def keys_between(kind: ObjectKind) -> tuple[_Key, ...]:
    """Return the keys by which objects between the same neighbors match."""
    return (lambda each: each.target, meaning_besides) if kind.leads_to else ()


def meaning(item: PolicyObject) -> str:
    """Return a text that is equal for two objects of a kind if and only if their facts are."""
    return repr([plain(value) for value in item.facts.values()])


def meaning_besides(item: PolicyObject) -> str:
    """Return `meaning` without the target of the object."""
    leads_to = item.kind.leads_to
    return repr([plain(value) for name, value in item.facts.items() if name != leads_to])


def ordered_changes(matches: Matches) -> Iterator[Change]:
    """Yield the changes, in the order of the newer objects, then removed objects."""
    found = [
        *(_between(ChangeKind.CHANGED, before, after) for before, after in matches.changed),
        *(_between(ChangeKind.MOVED, before, after) for before, after in matches.moved),
        *(_added(item) for item in matches.added),
    ]
    yield from (change for _, change in sorted(found, key=lambda pair: pair[0]))
    yield from map(_removed, matches.removed)


def _take(old: list[PolicyObject], new: list[PolicyObject], key: _Key) -> _Pairs:
    """Remove and return the pairs with an equal *key* from both lists, the first ones first."""
    waiting: dict[Hashable, list[PolicyObject]] = {}
    for item in reversed(old):
        waiting.setdefault(key(item), []).append(item)
    pairs = [(same.pop(), item) for item in new if (same := waiting.get(key(item)))]
    taken = {before.place for before, _ in pairs}, {after.place for _, after in pairs}
    for items, gone in zip((old, new), taken, strict=True):
        items[:] = [item for item in items if item.place not in gone]
    return pairs


def _selects(item: PolicyObject) -> str:
    return repr([plain(item.facts[name]) for name in item.kind.selects_by])


def _between(kind: ChangeKind, before: PolicyObject, after: PolicyObject) -> tuple[int, Change]:
    details = tuple(fact_differences(after.kind, before.facts, after.facts))
    if kind is ChangeKind.MOVED:
        details = (FieldChange(path=("index",), old=before.place, new=after.place), *details)
    return after.place, Change(
        kind=kind,
        noun=after.kind.name,
        name=after.key,
        old_name=before.key if before.key != after.key else "",
        details=details,
        origin=after.origin,
        old_origin=before.origin,
    )


def _added(item: PolicyObject) -> tuple[int, Change]:
    details = tuple(fact_differences(item.kind, None, item.facts, (item.kind.leads_to,)))
    return item.place, Change(
        kind=ChangeKind.ADDED,
        noun=item.kind.name,
        name=item.key,
        details=details,
        origin=item.origin,
    )


def _removed(item: PolicyObject) -> Change:
    details = tuple(
        replace(detail, old=detail.new, new=detail.old)  # type: ignore[arg-type]
        for detail in fact_differences(item.kind, None, item.facts, (item.kind.leads_to,))
    )
    return Change(
        kind=ChangeKind.REMOVED,
        noun=item.kind.name,
        name=item.key,
        details=details,
        old_origin=item.origin,
    )
