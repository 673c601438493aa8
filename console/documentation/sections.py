"""The sections of a document: its headings, with their anchors and texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from console.documentation.plain_text import FENCE, plain, plain_blocks

_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_CODE: Final = re.compile(r"[A-Z]{3}\d{3}\b")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text below it, up to the next heading of any level."""

    #: 1 for the title of a document.
    level: int
    #: In plain text.
    title: str
    #: The fragment of its address, as viewers of Markdown create it.
    anchor: str
    #: In plain text.
    text: str

    @property
    def code(self) -> str:
        """The diagnostic code at the beginning of the title; empty if there is none."""
        found = _CODE.match(self.title)
        return found[0] if found else ""


def read_sections(document: str) -> tuple[Section, ...]:
    """
    Return the sections of a Markdown document, in order; text before the first heading has none.

    Only headings that start with # are read. This needs a hundredth of the time of the renderer,
    so that a search does not have to render every document.
    """
    found: list[Section] = []
    taken: set[str] = set()
    for level, title, lines in _split(document):
        anchor = _anchor(title, taken)
        taken.add(anchor)
        found.append(Section(level, title, anchor, " ".join(plain_blocks(lines))))
    return tuple(found)


def _split(document: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield level, title and lines of each section."""
    current: tuple[int, str, list[str]] | None = None
    fence = ""
    for line in document.splitlines():
        if mark := FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is not None:
            if current is not None:
                yield current
            current = len(heading[1]), plain(heading[2]), []
        elif current is not None:
            current[2].append(line)
    if current is not None:
        yield current


def _anchor(title: str, taken: set[str]) -> str:
    slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    # A repeated heading gets a number.
    return next(
        name for n in range(len(taken) + 1) if (name := f"{slug}-{n}" if n else slug) not in taken
    )
