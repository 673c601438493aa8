"""Where in the config text something was written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """
    A span of the text: lines and columns count from 1, columns in code points.

    *end_column* is the column behind the last character.
    """

    line: int
    column: int
    end_line: int
    end_column: int
