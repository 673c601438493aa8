"""Points: rows of minutes, hours and days of one subject, each read once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from console.orgs.models import Organization
from console.series.models import SeriesPoint, Step
from console.series.stored import COLUMNS, totals_of
from console.series.subjects import Subject
from console.series.tallies import Counts
from console.series.totals import Totals
from console.time_formats import parse_time
from console.workloads.stored_texts import as_text

#: JSON columns, and the other columns of totals.
_TEXTS: Final = ("cells", "demand", "cannot_run_demand", "counts", "waits")
_PLAIN: Final = tuple(name for name in COLUMNS if name not in _TEXTS)


class Points:
    """
    The points of *subject*.

    Use and counts are in the same rows, so a caller that needs both passes the same object to both
    queries.
    """

    def __init__(self, org: Organization, subject: Subject) -> None:
        self._rows = SeriesPoint.objects.filter(org=org, kind=subject.kind, name=subject.name)
        self._read: dict[tuple[Step, datetime, datetime], _Columns] = {}

    def totals(
        self, step: Step, since: datetime, until: datetime
    ) -> Iterator[tuple[datetime, Totals]]:
        """Yield use and demand with their times, in order."""
        read = self._between(step, since, until)
        columns = (read.parsed(name) if name in _TEXTS else read.plain[name] for name in COLUMNS)
        for start, *row in zip(read.starts, *columns, strict=True):
            yield start, totals_of(row)

    def counts(
        self, step: Step, since: datetime, until: datetime
    ) -> Iterator[tuple[datetime, Counts]]:
        """Yield counts with their times, in order; rows of minutes have none."""
        read = self._between(step, since, until)
        columns = read.parsed("counts"), read.parsed("waits")
        for start, counts, waits in zip(read.starts, *columns, strict=True):
            yield start, Counts.stored(counts, waits)

    def _between(self, step: Step, since: datetime, until: datetime) -> _Columns:
        asked = (step, since, until)
        if asked not in self._read:
            rows = self._rows.filter(step=step.value, start__gte=since, start__lt=until)
            texts = {f"{name}_text": as_text(name) for name in ("start", *_TEXTS)}
            told = rows.order_by("start").annotate(**texts).values_list(*texts, *_PLAIN)
            found = list(zip(*told, strict=True)) or [()] * (len(texts) + len(_PLAIN))
            self._read[asked] = _Columns(
                starts=[parse_time(text) for text in found[0]],
                texts=dict(zip(_TEXTS, found[1:], strict=False)),
                plain=dict(zip(_PLAIN, found[len(texts) :], strict=True)),
            )
        return self._read[asked]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Columns:
    """Columns of the rows of a time range; a month has thousands of values."""

    starts: list[datetime]
    texts: Mapping[str, Sequence[str]]
    plain: Mapping[str, Sequence[int]]

    def parsed(self, name: str) -> list[Any]:
        """Return a JSON column, parsed as one text: parsing thousands of values costs far more."""
        return list(json.loads(f"[{','.join(self.texts[name])}]"))
