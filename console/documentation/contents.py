"""The table of contents: `docs/README.md` groups the documents under its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_GROUP: Final = re.compile(r"## +(.+)")
_DOCUMENT: Final = re.compile(r"\]\(([\w-]+)\.md(?:#[^)]*)?\)")


@dataclass(frozen=True, slots=True)
class NamedGroup:
    """The title of a group, and the names of its documents in order."""

    title: str
    names: tuple[str, ...]


def read_contents(index: str) -> tuple[NamedGroup, ...]:
    """
    Return the groups of *index*: a heading of the second level and the documents linked below it.

    A document that several groups link belongs to the first one.
    """
    groups: list[tuple[str, list[str]]] = []
    seen: set[str] = set()
    for line in index.splitlines():
        if heading := _GROUP.fullmatch(line):
            groups.append((heading[1].strip(), []))
        elif groups:
            groups[-1][1].extend(_new(line, seen))
    return tuple(NamedGroup(title, tuple(names)) for title, names in groups if names)


def _new(line: str, seen: set[str]) -> Iterator[str]:
    for name in _DOCUMENT.findall(line):
        if name not in seen:
            seen.add(name)
            yield name
