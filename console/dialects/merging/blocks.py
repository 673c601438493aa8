"""Cut a text into blocks: the lines of each object with the comments above it, and the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from console.dialects.merging.pieces import lines_of, whole_lines
from console.engine.diff import Noun
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy

#: What a block is, the same in all texts that have it: its noun, its name, and a number that
#: tells apart what has the same name.
Key: TypeAlias = tuple[Noun | None, str, int]

_END: Key = (None, "", 0)


@dataclass(frozen=True, slots=True)
class Part:
    """An object of a policy that has lines of its own."""

    noun: Noun
    name: str
    origin: Origin


def parts_of(policy: Policy) -> list[Part]:
    """Return the objects of *policy*, but for its rules, that are described in the text."""
    named: list[tuple[Noun, Mapping[str, object]]] = [
        (Noun.FLAVOR, policy.flavors),
        (Noun.COHORT, policy.cohorts),
        (Noun.QUEUE, policy.queues),
    ]
    if policy.local_routing is not None:
        local_queues = policy.local_routing.local_queues
        named += [
            (
                Noun.LOCAL_QUEUE,
                {"/".join(key): local_queue for key, local_queue in local_queues.items()},
            ),
            (Noun.PRIORITY_CLASS, policy.local_routing.priority_classes),
        ]
    return [
        Part(noun, name, origin)
        for noun, items in named
        for name, item in items.items()
        if (origin := getattr(item, "origin", None)) is not None
    ]


def cut(text: str, policy: Policy, rules: list[Key]) -> dict[Key, str] | None:
    """
    Return the blocks of *text*, which reads as *policy*, by key and in order.

    *rules* has the key of each rule, the same in all texts that have it. All blocks together
    are the text. None when objects share lines, so that it cannot be cut between them.
    """
    placed: list[tuple[Origin, Key]] = [
        (part.origin, (part.noun, part.name, 0)) for part in parts_of(policy)
    ]
    for rule, key in zip(policy.rules, rules, strict=True):
        if rule.origin is None:
            return None
        placed.append((rule.origin, key))
    lines = lines_of(whole_lines(text))
    blocks: dict[Key, str] = {}
    seen: Counter[str] = Counter()
    at = 0
    for origin, key in sorted(placed):
        start = origin.line - 1
        if start < at or origin.end_line > len(lines):
            return None
        gap = lines[at:start]
        own = _lines_above(gap)
        rest = gap[: len(gap) - own]
        if rest:
            words = _words(rest)
            blocks[(None, words, seen[words])] = "".join(rest)
            seen[words] += 1
        blocks[key] = "".join(lines[start - own : origin.end_line])
        at = origin.end_line
    if at < len(lines):
        blocks[_END] = "".join(lines[at:])
    return blocks


def _lines_above(gap: list[str]) -> int:
    """Return how many lines at the end of *gap* go with what follows it."""
    return next((n for n, line in enumerate(reversed(gap)) if _says(line)), len(gap))


def _says(line: str) -> bool:
    """Say whether a line is more than a comment, a blank or the beginning of a document."""
    words = line.strip()
    return bool(words) and not words.startswith("#") and words != "---"


def _words(lines: list[str]) -> str:
    return "\n".join(_said(lines))


def _said(lines: list[str]) -> Iterator[str]:
    return (line.strip() for line in lines if _says(line))
