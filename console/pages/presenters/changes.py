"""What differs between two config texts, as rows and sentences for a page."""

from __future__ import annotations

from dataclasses import dataclass

from console.engine.diff import (
    Change,
    ChangeKind,
    Line,
    Noun,
    compare_policies,
    text_diff,
)
from console.engine.policy import Policy

_SIGNS = {Line.SAME: "", Line.ADDED: "+", Line.REMOVED: "−", Line.GAP: ""}

_KINDS = {
    ChangeKind.ADDED: ("+", "added", "added"),
    ChangeKind.REMOVED: ("−", "removed", "removed"),
    ChangeKind.CHANGED: ("~", "changed", "changed"),
    ChangeKind.MOVED: ("↕", "changed", "moved"),
}

#: The parts of an object in the words of the config.
_PARTS = {
    "groups": "quota",
    "parent": "cohort",
    "launch_config": "instance config",
    "undeclared": "undeclared resources",
    "zeros_take_flavors": "requests of nothing",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One row of a text diff."""

    change: str
    sign: str
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLine:
    """One object that differs, in words."""

    kind: str
    sign: str
    text: str


def diff_lines(old: str, new: str) -> list[DiffLine]:
    """Return the text diff; empty when the texts are equal."""
    return [
        DiffLine(
            change=row.kind.value,
            sign=_SIGNS[row.kind],
            old=row.old,
            new=row.new,
            text=row.text,
        )
        for row in text_diff(old, new)
    ]


def change_lines(old: Policy, new: Policy) -> list[ChangeLine]:
    """Return what differs in meaning; empty when only comments or layout do."""
    return [_line(change) for change in compare_policies(old, new)]


def summary_of(changes: list[ChangeLine]) -> str:
    """
    Return a change of config on one line.

    >>> summary_of([ChangeLine(kind="added", sign="+", text="Queue lab added")])
    '+ Queue lab added'
    """
    shown = "; ".join(f"{line.sign} {line.text}" for line in changes[:3])
    more = len(changes) - 3
    return f"{shown}; and {more} more" if more > 0 else shown or "Same meaning"


def _line(change: Change) -> ChangeLine:
    sign, kind, word = _KINDS[change.kind]
    name = change.name
    if change.noun is Noun.RULE:
        # People count rules from 1, as the explanations do.
        index, _, rest = name.partition(" ")
        name = f"{int(index) + 1} {rest}"
    noun = change.noun.replace("_", " ")
    parts = ", ".join(_PARTS.get(part, part.replace("_", " ")) for part in change.parts)
    what = f": {parts} {word}" if parts else f" {word}"
    return ChangeLine(kind=kind, sign=sign, text=f"{noun.capitalize()} {name}{what}")
