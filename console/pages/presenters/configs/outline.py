"""Outline of a config text: its objects by kind, each with its worst diagnostic and its hits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from console.configs.services.count_hits import Hits
from console.dialects.assist import Item, Names
from console.dialects.diagnostics import Diagnostic, Severity
from console.engine.diff.objects import Vocabulary

#: Maximum number of listed objects.
MOST = 2_000

_WORST = [Severity.ERROR, Severity.WARNING, Severity.INFO]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One object of the text."""

    title: str
    name: str
    number: int
    line: int
    end_line: int
    column: int
    #: The severity of the worst diagnostic inside the object, or empty.
    severity: str
    #: Number of recorded workloads that would match; None for kinds that are not counted.
    hits: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The objects of one kind, in the order of the text."""

    kind: str
    title: str
    entries: tuple[Entry, ...]
    #: Number of objects that are not listed.
    more: int


def outline_of(
    names: Names,
    vocabulary: Vocabulary,
    problems: Sequence[Diagnostic] = (),
    hits: Hits | None = None,
) -> tuple[Group, ...]:
    """Return the outline of a text with the objects *names*, in the terms of its dialect."""
    # A schema uses the name of a kind, or the dialect's singular noun for it.
    plurals = {
        kind: words.plural
        for name in vocabulary.kinds
        for words in (vocabulary.of(name),)
        for kind in (name, words.singular)
    }
    kinds = dict.fromkeys([*plurals, *(item.kind for item in names.items)])
    ordered = sorted(problems, key=lambda problem: problem.span.line)
    lines = [problem.span.line for problem in ordered]
    room = MOST
    groups = []
    for kind in kinds:
        items = [item for item in names.items if item.kind == kind]
        if not items:
            continue
        shown = items[:room]
        room -= len(shown)
        groups.append(
            Group(
                kind=kind,
                title=plurals.get(kind, f"{kind}s").capitalize(),
                entries=tuple(
                    _entry(
                        item,
                        ordered[bisect_left(lines, item.line) : bisect_right(lines, item.end_line)],
                        hits,
                    )
                    for item in shown
                ),
                more=len(items) - len(shown),
            )
        )
    return tuple(groups)


def outline_json(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """Return the outline as JSON for the editor's script."""
    return [asdict(group) for group in groups]


def title_of(item: Item) -> str:
    """Return the title of an object: its name or number."""
    if item.is_named:
        return item.name or f"unnamed {item.kind} {item.number}"
    return f"{item.number} → {item.name}" if item.name else f"{item.number}"


def _entry(item: Item, problems: Sequence[Diagnostic], hits: Hits | None) -> Entry:
    found = {problem.severity for problem in problems} if item.is_described else set()
    counted: int | None = None
    if hits is not None and item.kind in hits.by_kind:
        runs = hits.by_kind[item.kind]
        counted = runs.get(item.name if item.is_named else item.number - 1, 0)
    return Entry(
        title=title_of(item),
        name=item.name,
        number=item.number,
        line=item.line,
        end_line=item.end_line,
        column=item.column,
        severity=next((severity.value for severity in _WORST if severity in found), ""),
        hits=counted,
    )
