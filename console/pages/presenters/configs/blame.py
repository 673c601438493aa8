"""Blame of a config text: runs of lines with the version that last changed them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from console.configs.blame import Blame
from console.configs.models import ConfigVersion
from console.engine.wording.words import plural
from console.pages.presenters.configs.source import SourceLine, SourcePart, source_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class BlameRun:
    """Consecutive lines last changed by *version*; None: by a version before the search limit."""

    version: ConfigVersion | None
    lines: tuple[SourceLine, ...]


def blame_runs(
    text: str, part: SourcePart, blame: Blame, versions: Mapping[int, ConfigVersion]
) -> tuple[BlameRun, ...]:
    """Return the lines of *part* of *text*, grouped by the version that last changed them."""
    numbers = blame.lines[part.first - 1 : part.last]
    pairs = zip(numbers, source_lines(text, part), strict=True)
    return tuple(
        BlameRun(
            version=versions.get(number) if number is not None else None,
            lines=tuple(line for _, line in of_run),
        )
        for number, of_run in groupby(pairs, key=lambda pair: pair[0])
    )


def blame_note(blame: Blame) -> str:
    """Return the version at which the search for authors stopped; empty if all were found."""
    if blame.is_whole:
        return ""
    count = blame.lines.count(None)
    older = f"{plural(count, 'line')} {'is' if count == 1 else 'are'} older than that"
    return f"The search went back to version {blame.since}; {older}."
