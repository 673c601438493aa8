"""How two lists of rules differ: which were added, removed, changed, or are tried elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from console.engine.diff.order import gaps, in_order
from console.engine.diff.plain import field_changes, plain
from console.engine.diff.values import Change, ChangeKind, FieldChange, Noun
from console.engine.model.policy import Rule

_Pairs = list[tuple[Rule, Rule]]
#: Fields that are in the name of a rule.
_NAMED = ("index", "queue")

_Key = Callable[[Rule], Hashable]


def rule_name(rule: Rule) -> str:
    """Return how changes name a rule: its index and its queue."""
    return f"{rule.index} to {rule.queue}"


@dataclass(slots=True)
class Matches:
    """Which rules of two lists are one rule, as (older, newer), and which have no counterpart."""

    same: _Pairs = field(default_factory=list)
    changed: _Pairs = field(default_factory=list)
    moved: _Pairs = field(default_factory=list)
    removed: list[Rule] = field(default_factory=list)
    added: list[Rule] = field(default_factory=list)


def match_rules(old: Sequence[Rule], new: Sequence[Rule]) -> Matches:
    """
    Return which rules are one.

    Equal rules are matched first, as many as keep their order; between them those
    that lead to one queue or ask the same; then, wherever they are, equal ones, which have
    moved, and those that lead to one queue by the same labels.
    """
    found = Matches()
    kept = in_order([*map(_meaning, old)], [*map(_meaning, new)])
    found.same += ((old[i], new[j]) for i, j in kept)
    for gap in gaps(kept, len(old), len(new)):
        left, right = [old[i] for i in gap.old], [new[j] for j in gap.new]
        found.changed += _take(left, right, lambda rule: rule.queue)
        found.changed += _take(left, right, _asks)
        found.removed += left
        found.added += right
    found.moved += _take(found.removed, found.added, _meaning)
    found.moved += _take(found.removed, found.added, lambda rule: (rule.queue, _selector(rule)))
    return found


def rule_changes(old: Sequence[Rule], new: Sequence[Rule]) -> Iterator[Change]:
    """Yield what differs, in the order of the newer rules, removed ones last."""
    matches = match_rules(old, new)
    found = [
        *(_between(ChangeKind.CHANGED, before, after) for before, after in matches.changed),
        *(_between(ChangeKind.MOVED, before, after) for before, after in matches.moved),
        *(_added(rule) for rule in matches.added),
    ]
    yield from (change for _, change in sorted(found, key=lambda pair: pair[0]))
    yield from map(_removed, matches.removed)


def _take(old: list[Rule], new: list[Rule], key: _Key) -> _Pairs:
    """Take out of both lists the pairs with an equal *key*, first with first."""
    waiting: dict[Hashable, list[Rule]] = {}
    for rule in reversed(old):
        waiting.setdefault(key(rule), []).append(rule)
    pairs = [(same.pop(), rule) for rule in new if (same := waiting.get(key(rule)))]
    taken = {before.index for before, _ in pairs}, {after.index for _, after in pairs}
    for rules, gone in zip((old, new), taken, strict=True):
        rules[:] = [rule for rule in rules if rule.index not in gone]
    return pairs


def _meaning(rule: Rule) -> str:
    return repr((rule.queue, *_parts(rule)))


def _asks(rule: Rule) -> str:
    return repr(_parts(rule))


def _selector(rule: Rule) -> str:
    return repr(plain(rule.selector))


def _parts(rule: Rule) -> tuple[object, object]:
    return plain(rule.selector), plain(rule.priority)


def _between(kind: ChangeKind, before: Rule, after: Rule) -> tuple[int, Change]:
    fields = tuple(field_changes(before, after, ("index",)))
    if kind is ChangeKind.MOVED:
        fields = (FieldChange(path=("index",), old=before.index, new=after.index), *fields)
    old_name = rule_name(before)
    return after.index, Change(
        kind=kind,
        noun=Noun.RULE,
        name=rule_name(after),
        old_name=old_name if old_name != rule_name(after) else "",
        details=fields,
        origin=after.origin,
        old_origin=before.origin,
    )


def _added(rule: Rule) -> tuple[int, Change]:
    details = tuple(field_changes(None, rule, _NAMED))
    return rule.index, Change(
        kind=ChangeKind.ADDED,
        noun=Noun.RULE,
        name=rule_name(rule),
        details=details,
        origin=rule.origin,
    )


def _removed(rule: Rule) -> Change:
    details = tuple(
        replace(detail, old=detail.new, new=detail.old)
        for detail in field_changes(None, rule, _NAMED)
    )
    return Change(
        kind=ChangeKind.REMOVED,
        noun=Noun.RULE,
        name=rule_name(rule),
        details=details,
        old_origin=rule.origin,
    )
