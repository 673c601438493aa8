"""Compare two versions: line by line as text, and object by object as meaning."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any

from console.engine.origin import Origin
from console.engine.policy import LocalQueueRouting, Policy, Rule

#: Unchanged lines around a change.
_CONTEXT = 3
#: Lines between the common beginning and end up to which lines are matched one by one.
_MATCHED = 4000


class Line(StrEnum):
    """What happened to a line; a gap stands for unchanged lines that are left out."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One row of a unified diff; numbers count from 1, None where the side has no such line."""

    kind: Line
    old: int | None
    new: int | None
    text: str


class ChangeKind(StrEnum):
    """What happened to an object of the config."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"


class Noun(StrEnum):
    """What an object of the config is."""

    FLAVOR = "flavor"
    COHORT = "cohort"
    QUEUE = "queue"
    RULE = "rule"
    LOCAL_QUEUE = "local_queue"
    PRIORITY_CLASS = "priority_class"
    NAMESPACE = "namespace"
    SETTINGS = "settings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One object that differs: what it is, its name, and which of its parts."""

    kind: ChangeKind
    noun: Noun
    #: The name; of a rule its index and queue, in the newer config where it has one; of a local
    #: queue its namespace and name.
    name: str
    #: Parts that differ, by the names of the policy: "selector", "priority".
    parts: tuple[str, ...] = ()
    #: Where the object is in the newer text, or in the older one when it was removed.
    origin: Origin | None = None


def text_diff(old: str, new: str) -> list[DiffRow]:
    """Return the unified diff of two texts; nothing when they are equal."""
    before, after = old.splitlines(), new.splitlines()
    opcodes = _opcodes(before, after)
    if all(tag == "equal" for tag, *_ in opcodes):
        return []
    rows: list[DiffRow] = []
    for place, (tag, i, i_end, j, j_end) in enumerate(opcodes):
        if tag == "equal":
            lines = [
                DiffRow(Line.SAME, i + n + 1, j + n + 1, before[i + n]) for n in range(i_end - i)
            ]
            head = _CONTEXT if place > 0 else 0
            tail = _CONTEXT if place < len(opcodes) - 1 else 0
            rows += _with_gap(lines, head, tail)
        else:
            rows += [DiffRow(Line.REMOVED, x + 1, None, before[x]) for x in range(i, i_end)]
            rows += [DiffRow(Line.ADDED, None, y + 1, after[y]) for y in range(j, j_end)]
    return rows


def compare_policies(old: Policy, new: Policy) -> list[Change]:
    """Return what differs in meaning, in the order of the newer text; comments do not count."""
    return [
        *_named(Noun.FLAVOR, old.flavors, new.flavors),
        *_named(Noun.COHORT, old.cohorts, new.cohorts),
        *_named(Noun.QUEUE, old.queues, new.queues),
        *_rules(old.rules, new.rules),
        *_local_routing(
            old.local_routing or LocalQueueRouting(), new.local_routing or LocalQueueRouting()
        ),
        *_named(Noun.SETTINGS, {_ADMISSION: old.settings}, {_ADMISSION: new.settings}),
    ]


_Opcode = tuple[str, int, int, int, int]
#: What the settings of a config are of.
_ADMISSION = "of admission"


def _with_gap(lines: list[DiffRow], head: int, tail: int) -> list[DiffRow]:
    """Return the first *head* and last *tail* of unchanged lines, and a gap for the others."""
    hidden = len(lines) - head - tail
    if hidden < 2:
        return lines
    gap = DiffRow(Line.GAP, None, None, f"{hidden} unchanged lines")
    return [*lines[:head], gap, *lines[len(lines) - tail :]]


def _opcodes(before: list[str], after: list[str]) -> list[_Opcode]:
    """Return what turns one text into the other; common ends are set aside."""
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    old = before[start : len(before) - end]
    new = after[start : len(after) - end]
    found: list[_Opcode] = [("equal", 0, start, 0, start)] if start else []
    if max(len(old), len(new)) > _MATCHED:
        # Matching takes time that grows with the square; such texts are shown as replaced.
        found.append(("replace", start, start + len(old), start, start + len(new)))
    else:
        for tag, i, i_end, j, j_end in SequenceMatcher(None, old, new).get_opcodes():
            found.append((tag, i + start, i_end + start, j + start, j_end + start))
    if end:
        found.append(("equal", len(before) - end, len(before), len(after) - end, len(after)))
    return found


def _common(before: list[str], after: list[str]) -> int:
    count = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        count += 1
    return count


def _named(noun: Noun, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for name, item in new.items():
        if name not in old:
            yield Change(kind=ChangeKind.ADDED, noun=noun, name=name, origin=item.origin)
        elif parts := _differing(old[name], item):
            yield Change(
                kind=ChangeKind.CHANGED, noun=noun, name=name, parts=parts, origin=item.origin
            )
    for name, item in old.items():
        if name not in new:
            yield Change(kind=ChangeKind.REMOVED, noun=noun, name=name, origin=item.origin)


def _local_routing(old: LocalQueueRouting, new: LocalQueueRouting) -> Iterator[Change]:
    before, after = (
        {f"{namespace}/{name}": each for (namespace, name), each in routing.local_queues.items()}
        for routing in (old, new)
    )
    yield from _named(Noun.LOCAL_QUEUE, before, after)
    yield from _named(Noun.PRIORITY_CLASS, old.priority_classes, new.priority_classes)
    for name in dict.fromkeys((*new.namespaces, *old.namespaces)):
        if name not in old.namespaces:
            yield Change(kind=ChangeKind.ADDED, noun=Noun.NAMESPACE, name=name)
        elif name not in new.namespaces:
            yield Change(kind=ChangeKind.REMOVED, noun=Noun.NAMESPACE, name=name)
        elif old.namespaces[name] != new.namespaces[name]:
            yield Change(kind=ChangeKind.CHANGED, noun=Noun.NAMESPACE, name=name, parts=("labels",))


def _rules(old: tuple[Rule, ...], new: tuple[Rule, ...]) -> Iterator[Change]:
    """Match equal rules first, then those at the same place between them that lead to one queue."""
    before, after = ([_rule_meaning(rule) for rule in rules] for rules in (old, new))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    removed: list[Rule] = []
    added: list[Rule] = []
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        gone, come = list(old[i:i_end]), list(new[j:j_end])
        for rule in list(come):
            same = next((other for other in gone if other.queue == rule.queue), None)
            if same is not None:
                gone.remove(same)
                come.remove(rule)
                yield _rule_change(ChangeKind.CHANGED, rule, _differing(same, rule))
        removed += gone
        added += come
    for rule in list(added):
        meaning = _rule_meaning(rule)
        same = next((other for other in removed if _rule_meaning(other) == meaning), None)
        if same is not None:
            removed.remove(same)
            added.remove(rule)
            yield _rule_change(ChangeKind.MOVED, rule, ())
    for rule in added:
        yield _rule_change(ChangeKind.ADDED, rule, ())
    for rule in removed:
        yield _rule_change(ChangeKind.REMOVED, rule, ())


def _rule_change(kind: ChangeKind, rule: Rule, parts: tuple[str, ...]) -> Change:
    name = f"{rule.index} to {rule.queue}"
    return Change(kind=kind, noun=Noun.RULE, name=name, parts=parts, origin=rule.origin)


def _rule_meaning(rule: Rule) -> str:
    return repr((rule.queue, _meaning(rule.selector), _meaning(rule.priority)))


def _differing(old: Any, new: Any) -> tuple[str, ...]:
    """Return the names of the fields that mean something else; places do not count."""
    return tuple(
        field.name
        for field in dataclasses.fields(new)
        if field.name not in ("origin", "index")
        and _meaning(getattr(old, field.name)) != _meaning(getattr(new, field.name))
    )


def _meaning(value: Any) -> Any:
    """Return *value* without the places it was written at."""
    if dataclasses.is_dataclass(value):
        return {
            field.name: _meaning(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if field.name != "origin"
        }
    if isinstance(value, Mapping):
        return {key: _meaning(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_meaning(item) for item in value]
    return value
