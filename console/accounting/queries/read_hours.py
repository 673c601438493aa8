"""Sums of accounted hours, with what accounts hold since the last fold, in SQL where possible."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from django.db.models import F, Q, QuerySet

from console.accounting.amounts import by_hour
from console.accounting.models import Account, AccountClock, AccountedHour
from console.accounting.sums import sum_of, summed
from console.accounting.window import AccountWindow
from console.label_values import label_value
from console.orgs.models import Organization
from console.time_formats import milliseconds

#: The prefix of a label in the name of a dimension.
LABEL: Final = "label."


@dataclass(frozen=True, kw_only=True)
class HourReader:
    """
    Reads resource-time in *window* until *now* by a dimension or label; use in a `read_snapshot`.

    Memory is for the values and for the steps, but never for both multiplied. The value of
    workloads without one is None.
    """

    org: Organization
    by: str
    window: AccountWindow
    clock: AccountClock
    now: datetime

    def totals(self) -> Counter[tuple[str | None, str]]:
        """Return the resource-time of each value and resource, without steps."""
        found: Counter[tuple[str | None, str]] = Counter()
        for value, resource, *parts in summed(self._rows.values_list("value", "account__resource")):
            found[value or None, resource] += sum_of(*parts)
        for key, held in self._held.items():
            found[key] += held * sum(self._not_folded.values())
        return found

    def series(self, resource: str, values: Sequence[str | None]) -> list[list[int]]:
        """Return the resource-time of a few *values* for each step."""
        has_value = Q(value__in=[value for value in values if value is not None])
        if None in values:
            has_value |= Q(value=None) | Q(value="")
        rows = self._rows.filter(has_value, account__resource=resource)
        found = {value: [0] * len(self.window.starts) for value in values}
        for step, value, *parts in summed(rows.values_list("step", "value")):
            found[value or None][step] += sum_of(*parts)
        for value in values:
            for step, duration in self._not_folded.items():
                found[value][step] += self._held[value, resource] * duration
        return list(found.values())

    def steps(self, resource: str) -> list[int]:
        """Return the resource-time of all values together for each step."""
        found = [0] * len(self.window.starts)
        rows = self._rows.filter(account__resource=resource)
        for step, *parts in summed(rows.values_list("step")):
            found[step] += sum_of(*parts)
        held = sum(amount for (_, name), amount in self._held.items() if name == resource)
        for step, duration in self._not_folded.items():
            found[step] += held * duration
        return found

    @property
    def _rows(self) -> QuerySet[Any, Any]:
        window, label = self.window, self.by.removeprefix(LABEL)
        is_label = label != self.by
        rows = AccountedHour.objects.filter(
            org=self.org, hour__gte=window.since, hour__lt=window.until
        )
        return rows.annotate(
            step=(F("hour") - window.since) / window.length,
            value=label_value("account__labels", label) if is_label else F(f"account__{self.by}"),
        )

    @cached_property
    def _not_folded(self) -> dict[int, int]:
        """The milliseconds of each step that are not folded, negative after *now*."""
        found: defaultdict[int, int] = defaultdict(int)
        window = self.window
        for hour, duration in by_hour(self.clock.counted_until, milliseconds(self.now)):
            if window.since <= hour < window.until:
                found[(hour - window.since) // window.length] += duration
        return found

    @cached_property
    def _held(self) -> Counter[tuple[str | None, str]]:
        """What is held now, by value and resource; empty if all of the window is folded."""
        found: Counter[tuple[str | None, str]] = Counter()
        if not self._not_folded:
            return found
        label = self.by.removeprefix(LABEL)
        is_label = label != self.by
        rows = Account.objects.filter(org=self.org).exclude(held=0)
        columns = rows.values_list("labels" if is_label else self.by, "resource", "held")
        for value, resource, held in columns.iterator():
            found[(value.get(label) if is_label else value) or None, resource] += held
        return found
