"""Origins: positions in the text of a config."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

#: The line breaks that editors count. YAML 1.1 and `str.splitlines` have more.
LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """
    A span of the text: lines and columns count from 1, columns in code points.

    *end_column* is the column after the last character.
    """

    line: int
    column: int
    end_line: int
    end_column: int


def lines_of(text: str) -> list[str]:
    r"""
    Return the lines of *text* without their line breaks, as origins count them.

    >>> lines_of("a\r\nb\x85c\n\nd"), lines_of("a\n"), lines_of("")
    (['a', 'b\x85c', '', 'd'], ['a'], [])
    """
    *lines, last = LINE_BREAK.split(text)
    return [*lines, last] if last else lines
