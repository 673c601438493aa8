"""Blame of a config text: runs of lines with the version that last changed them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from console.configs.blame import Blame
from console.configs.models import ConfigVersion
from console.engine.wording.words import plural
from console.pages.presenters.configs.source import SourceLine, source_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class BlameRun:
    """Consecutive lines last changed by *version*; None: by a version before the search limit."""

    version: ConfigVersion | None
    lines: tuple[SourceLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlamePage:
    """All lines of a text; *note* names the version at which the search stopped, or is empty."""

    runs: tuple[BlameRun, ...]
    note: str = ""


def blame_page(text: str, blame: Blame, versions: Mapping[int, ConfigVersion]) -> BlamePage:
    """Return the lines of *text*, grouped by the version that last changed them."""
    lines = source_lines(text)
    pairs = zip(blame.lines, lines, strict=True)
    runs = tuple(
        BlameRun(
            version=versions.get(number) if number is not None else None,
            lines=tuple(line for _, line in of_run),
        )
        for number, of_run in groupby(pairs, key=lambda pair: pair[0])
    )
    if blame.is_whole:
        return BlamePage(runs=runs)
    count = blame.lines.count(None)
    older = f"{plural(count, 'line')} {'is' if count == 1 else 'are'} older than that"
    return BlamePage(runs=runs, note=f"The search went back to version {blame.since}; {older}.")
