"""Split a text into blocks: the lines of each object with the comments above it, and the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from console.dialects.merging.pieces import lines_of, whole_lines
from console.engine.diff.objects import PolicyObjects, Role
from console.engine.model.origin import Origin

#: The identity of a block in all texts: kind and name of its object, and a number that
#: distinguishes equal names.
Key: TypeAlias = tuple[str | None, str, int]

_END: Key = (None, "", 0)


def split_blocks(
    text: str, objects: PolicyObjects, numbers: Mapping[str, Sequence[Key]]
) -> dict[Key, str] | None:
    """
    Return the blocks of *text*, which describes *objects*, by key and in order.

    *numbers* has the key of each object of an ordered kind, by kind; an object has the same key in
    all texts. The blocks joined are the text. None if objects share lines, so that the text cannot
    be split between them.
    """
    placed: list[tuple[Origin, Key]] = []
    for kind in objects.kinds:
        if kind.role is Role.NAMED:
            placed += (
                (each.origin, (kind.name, key, 0))
                for key, each in objects.of(kind.name).items()
                if each.origin is not None
            )
        elif kind.role is Role.ORDERED:
            for each, key in zip(objects.ordered(kind.name), numbers[kind.name], strict=True):
                if each.origin is None:
                    return None
                placed.append((each.origin, key))
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
            words = _join_content(rest)
            blocks[(None, words, seen[words])] = "".join(rest)
            seen[words] += 1
        blocks[key] = "".join(lines[start - own : origin.end_line])
        at = origin.end_line
    if at < len(lines):
        blocks[_END] = "".join(lines[at:])
    return blocks


def _lines_above(gap: list[str]) -> int:
    """Return how many lines at the end of *gap* belong to the object below."""
    return next((n for n, line in enumerate(reversed(gap)) if is_content(line)), len(gap))


def is_content(line: str) -> bool:
    """Return whether a line is not a comment, a blank line or a document marker."""
    words = line.strip()
    return bool(words) and not words.startswith("#") and words != "---"


def _join_content(lines: list[str]) -> str:
    return "\n".join(_content_lines(lines))


def _content_lines(lines: list[str]) -> Iterator[str]:
    return (line.strip() for line in lines if is_content(line))
