"""Points: rows of minutes, hours and days of one subject, each read once for all they tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from console.orgs.models import Organization
from console.series.models import SeriesPoint, Step
from console.series.stored import COLUMNS, totals_of
from console.series.subjects import Subject
from console.series.tallies import Counts
from console.series.totals import Totals


class Points:
    """
    The points of *subject*.

    What it used and what was counted are in the same rows: whoever asks for both gives the
    same points to both questions.
    """

    def __init__(self, org: Organization, subject: Subject) -> None:
        self._rows = SeriesPoint.objects.filter(org=org, kind=subject.kind, name=subject.name)
        self._read: dict[tuple[Step, datetime, datetime], list[tuple[Any, ...]]] = {}

    def totals(
        self, step: Step, since: datetime, until: datetime
    ) -> Iterator[tuple[datetime, Totals]]:
        """Yield what was used and wanted from when on, in order."""
        for start, _, _, *row in self._between(step, since, until):
            yield start, totals_of(row)

    def counts(
        self, step: Step, since: datetime, until: datetime
    ) -> Iterator[tuple[datetime, Counts]]:
        """Yield what happened from when on, in order; rows of minutes do not tell that."""
        for start, counts, waits, *_ in self._between(step, since, until):
            yield start, Counts.stored(json.loads(counts), json.loads(waits))

    def _between(self, step: Step, since: datetime, until: datetime) -> list[tuple[Any, ...]]:
        asked = (step, since, until)
        if asked not in self._read:
            rows = self._rows.filter(step=step.value, start__gte=since, start__lt=until)
            # Of those two, what nobody asks for is not decoded.
            told = rows.annotate(
                counts_text=Cast("counts", TextField()), waits_text=Cast("waits", TextField())
            )
            columns = ("start", "counts_text", "waits_text", *COLUMNS)
            self._read[asked] = list(told.order_by("start").values_list(*columns))
        return self._read[asked]
