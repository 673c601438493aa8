"""Markdown as plain text, for titles, anchors and the search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_MARKUP: Final = re.compile(r"[\[`*\\]")
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_CODE: Final = re.compile(r"(`+)(.+?)\1")
_EMPHASIS: Final = re.compile(r"(?<!\\)\*{1,3}(?=\S)(.+?)(?<=[^\s\\])\*{1,3}")
_ESCAPE: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_SEPARATOR: Final = re.compile(r"[ |:-]+")
_MARKER: Final = re.compile(r"\s*(?:>\s?)*(?:[-*+]\s+|\d+[.)]\s+)?")
_STARTS: Final = re.compile(r"\s*(?:[-*+]|\d+[.)]|>)\s")
_CELL: Final = re.compile(r"\s*(?<!\\)\|\s*")

#: The start or end of a fenced code block.
FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})")


def plain(text: str) -> str:
    """
    Return the text of inline Markdown.

    >>> plain("How [a *queue*](queues.md#holds) uses `max_size`")
    'How a queue uses max_size'
    """
    if not _MARKUP.search(text):
        return text
    text = _LINK.sub(r"\1", text)
    # Asterisks inside code are no emphasis.
    pieces = _CODE.split(text)
    outside = (_ESCAPE.sub(r"\1", _EMPHASIS.sub(r"\1", piece)) for piece in pieces[::3])
    codes = (*pieces[2::3], "")
    return "".join(f"{text}{code}" for text, code in zip(outside, codes, strict=True))


def plain_blocks(lines: Iterable[str]) -> Iterator[str]:
    """
    Yield the text of the blocks of a document, without markup and HTML.

    A block is a paragraph, an item of a list, a row of a table or a line of code.

    >>> list(plain_blocks(["| `a` | *b* |", "|---|---|", "1. One", "`x", "y`"]))
    ['a · b', 'One x y']
    """
    fence = ""
    paragraph: list[str] = []
    for line in lines:
        mark = FENCE.match(line)
        text = line.strip()
        if mark or fence or not text or text[0] in "|<" or _STARTS.match(line):
            # Markup may continue on the next line of a paragraph.
            yield from _plain_paragraph(paragraph)
            paragraph = []
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif fence:
            yield from filter(None, (text,))
        elif text.startswith("|"):
            yield from _plain_row(text)
        elif text and not text.startswith("<"):
            paragraph.append(_MARKER.sub("", line, count=1).strip())
    yield from _plain_paragraph(paragraph)


def _plain_paragraph(lines: list[str]) -> Iterator[str]:
    if lines:
        yield plain(" ".join(lines))


def _plain_row(text: str) -> Iterator[str]:
    if not _SEPARATOR.fullmatch(text):
        yield " · ".join(filter(None, (plain(cell) for cell in _CELL.split(text))))
