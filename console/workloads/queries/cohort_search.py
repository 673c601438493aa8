"""Which cohorts, and which members of one, are looked at, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.http import QueryDict

from console.engine.model.amounts import Unlimited
from console.reading import QueryReader
from console.workloads.queries.cohort_views import CohortSummary, CohortView, MemberView


class CohortSort(StrEnum):
    """What a list of cohorts is sorted by."""

    #: As trees, in the order of the config's text.
    TEXT = "text"
    CONTENTION = "contention"
    PENDING = "pending"
    BORROWERS = "borrowers"
    NAME = "name"


class MemberSort(StrEnum):
    """What the queues of a cohort are sorted by."""

    #: As a tree, in the order of the config's text; any other order has queues alone.
    TEXT = "text"
    PRESSURE = "pressure"
    BORROWED = "borrowed"
    LENT = "lent"
    PENDING = "pending"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortSearch:
    """Which cohorts to list, and how."""

    #: A part of the name, in any case.
    q: str = ""
    sort: CohortSort = CohortSort.TEXT

    @classmethod
    def from_query(cls, query: QueryDict) -> CohortSearch:
        """Return what *query* asks for; raises BadRequest that names every wrong value."""
        reader = QueryReader(query)
        sort = reader.choice("sort", [each.value for each in CohortSort])
        found = cls(q=reader.text("q") or "", sort=CohortSort(sort or CohortSort.TEXT))
        reader.finish()
        return found

    @property
    def is_tree(self) -> bool:
        """Whether every cohort is right below the one that holds it."""
        return self.sort is CohortSort.TEXT and not self.q

    def applied(self, cohorts: Iterable[CohortSummary]) -> list[CohortSummary]:
        """Return those of *cohorts* that are asked for, in the order asked for."""
        wanted = self.q.casefold()
        found = [cohort for cohort in cohorts if wanted in cohort.name.casefold()]
        orders: dict[CohortSort, Callable[[CohortSummary], tuple[float, str]]] = {
            CohortSort.CONTENTION: lambda cohort: (-cohort.contention, cohort.name),
            CohortSort.PENDING: lambda cohort: (-cohort.pending, cohort.name),
            CohortSort.BORROWERS: lambda cohort: (-cohort.borrowers, cohort.name),
            CohortSort.NAME: lambda cohort: (0, cohort.name.casefold()),
        }
        order = orders.get(self.sort)
        return sorted(found, key=order) if order else found


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberSearch:
    """Which members of a cohort to show, and how."""

    q: str = ""
    sort: MemberSort = MemberSort.TEXT
    #: Only what the cohort holds itself: cohorts in it are one row each.
    direct: bool = False

    @classmethod
    def from_query(cls, query: QueryDict) -> MemberSearch:
        """Return what *query* asks for; raises BadRequest that names every wrong value."""
        reader = QueryReader(query)
        sort = reader.choice("sort", [each.value for each in MemberSort])
        found = cls(
            q=reader.text("q") or "",
            sort=MemberSort(sort or MemberSort.TEXT),
            direct=reader.choice("level", ["all", "direct"]) == "direct",
        )
        reader.finish()
        return found

    def applied(self, view: CohortView) -> list[MemberView]:
        """Return the members of *view* that are asked for, in the order asked for."""
        wanted = self.q.casefold()
        found = [
            member
            for member in view.members
            if (member.depth == 1 or not self.direct) and wanted in member.name.casefold()
        ]
        if self.sort is MemberSort.TEXT:
            return found
        scales = scales_of(view.members, with_cohorts=self.direct)
        orders: dict[MemberSort, Callable[[MemberView], tuple[float, str]]] = {
            MemberSort.PRESSURE: lambda member: (-_pressure(member), member.name),
            MemberSort.BORROWED: lambda member: (
                -max((u.borrowed / scales[u.resource] for u in member.usages), default=0),
                member.name,
            ),
            MemberSort.LENT: lambda member: (
                -max((u.lent / scales[u.resource] for u in member.usages), default=0),
                member.name,
            ),
            MemberSort.PENDING: lambda member: (-member.pending, member.name),
            MemberSort.NAME: lambda member: (0, member.name.casefold()),
        }
        # Numbers of a cohort have those of its queues in them: side by side they mislead.
        rows = (member for member in found if self.direct or not member.is_cohort)
        return sorted(rows, key=orders[self.sort])


def scales_of(members: Iterable[MemberView], *, with_cohorts: bool) -> dict[str, int]:
    """
    Return what the whole length of a drawing stands for, by resource.

    It is the most that one queue owns or uses; that a direct member does *with_cohorts*.
    """
    scales: dict[str, int] = {}
    for member in members:
        counts = member.depth == 1 if with_cohorts else not member.is_cohort
        for usage in member.usages:
            owned = 0 if isinstance(usage.guaranteed, Unlimited) else usage.guaranteed
            most = max(owned, usage.used) if counts else 1
            scales[usage.resource] = max(scales.get(usage.resource, 1), most)
    return scales


def _pressure(member: MemberView) -> float:
    return max((usage.pressure for usage in member.usages), default=0.0)
