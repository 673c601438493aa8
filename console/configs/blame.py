"""Blame: the version that last changed each line of a config text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from console.configs.models import ConfigVersion
from console.engine.diff.lines import opcodes_of
from console.engine.model.origin import lines_of
from console.orgs.models import Organization
from console.policies.queries import versions

#: Maximum number of versions that are read.
MOST_VERSIONS = 200
#: Maximum number of lines that are compared, in all texts.
MOST_LINES = 400_000
#: Number of rows of one query.
_BATCH = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Blame:
    """
    For each line, the number of the version that last changed it.

    None means that the line is older than *since*, the oldest version that was read.
    """

    lines: tuple[int | None, ...]
    since: int

    @property
    def is_whole(self) -> bool:
        """Whether the version of every line is known."""
        return None not in self.lines


def blame_of(org: Organization, version: ConfigVersion) -> Blame:
    """Return the blame of *version*, cached because versions never change."""
    return _blame(org.pk, version.number, version.created_at)


@lru_cache(maxsize=32)
def _blame(org_id: int, number: int, _created_at: datetime) -> Blame:
    """
    Compute the blame by comparing the text with older ones, newest first.

    The time is part of the cache key because a restored database reuses version numbers.
    """
    history = _texts(org_id, number)
    at, text = next(history)
    lines = lines_of(text)
    found: list[int | None] = [None] * len(lines)
    # Lines without a version: index in the text `lines` -> index in the text of the blame.
    open_lines = {place: place for place in range(len(lines))}
    compared = 0
    for older, older_text in history:
        if not open_lines:
            break
        before = lines_of(older_text)
        compared += len(before) + len(lines)
        if compared > MOST_LINES:
            break
        kept: dict[int, int] = {}
        for tag, i, i_end, j, _ in opcodes_of(before, lines):
            if tag == "equal":
                for step in range(i_end - i):
                    if j + step in open_lines:
                        kept[i + step] = open_lines.pop(j + step)
        for place in open_lines.values():
            found[place] = at
        open_lines, lines, at = kept, before, older
    else:
        # All older versions were read: the remaining lines are from the first version.
        if at == 1:
            for place in open_lines.values():
                found[place] = at
    return Blame(lines=tuple(found), since=at)


def _texts(org_id: int, number: int) -> Iterator[tuple[int, str]]:
    """Yield number and text of a version and of the versions before it, newest first."""
    rows = ConfigVersion.objects.filter(org=org_id).order_by("-number")
    for start in range(0, MOST_VERSIONS, _BATCH):
        batch = list(rows.filter(number__lte=number - start).values_list("number", "text")[:_BATCH])
        yield from batch
        if len(batch) < _BATCH:
            return


def blamed_versions(org: Organization, blame: Blame) -> dict[int, ConfigVersion]:
    """Return the versions in *blame* by number, without their texts."""
    numbers = {number for number in blame.lines if number is not None}
    return {row.number: row for row in versions(org).defer("text").filter(number__in=numbers)}
