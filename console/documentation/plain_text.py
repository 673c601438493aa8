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


def plain_lines(lines: Iterable[str]) -> Iterator[str]:
    """
    Yield the text of lines of a document, without markup, HTML and empty lines.

    >>> list(plain_lines(["| field | meaning |", "|---|---|", "| `a` | *b* |", "", "1. One"]))
    ['field · meaning', 'a · b', 'One']
    """
    fence = ""
    for line in lines:
        if mark := FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
            continue
        text = line.strip() if fence else _plain_line(line)
        if text:
            yield text


def _plain_line(line: str) -> str:
    text = line.strip()
    if text.startswith("<") or _SEPARATOR.fullmatch(text):
        return ""
    if text.startswith("|"):
        return " · ".join(filter(None, (plain(cell) for cell in _CELL.split(text))))
    return plain(_MARKER.sub("", text, count=1))
