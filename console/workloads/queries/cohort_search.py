"""Search conditions and sort orders of cohorts, and of the members of a cohort."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.http import QueryDict

from console.engine.model.amounts import Unlimited
from console.reading import QueryReader
from console.workloads.queries.cohort_views import CohortSummary, CohortView, MemberView


class CohortSort(StrEnum):
    """Sort orders of the list of cohorts."""

    #: As trees, in the order of the config text.
    TEXT = "text"
    CONTENTION = "contention"
    PENDING = "pending"
    BORROWERS = "borrowers"
    NAME = "name"


class MemberSort(StrEnum):
    """Sort orders of the members of a cohort."""

    #: As a tree, in the order of the config text; other orders list only queues.
    TEXT = "text"
    PRESSURE = "pressure"
    BORROWED = "borrowed"
    LENT = "lent"
    PENDING = "pending"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortSearch:
    """Conditions and sort order of the list of cohorts."""

    #: A part of the name, case-insensitive.
    q: str = ""
    sort: CohortSort = CohortSort.TEXT

    @classmethod
    def from_query(cls, query: QueryDict) -> CohortSearch:
        """Return the search in *query*; raises BadRequest with every wrong value."""
        reader = QueryReader(query)
        sort = reader.choice("sort", [each.value for each in CohortSort])
        found = cls(q=reader.text("q") or "", sort=CohortSort(sort or CohortSort.TEXT))
        reader.finish()
        return found

    @property
    def is_tree(self) -> bool:
        """Whether each cohort is listed directly below its parent."""
        return self.sort is CohortSort.TEXT and not self.q

    def applied(self, cohorts: Iterable[CohortSummary]) -> list[CohortSummary]:
        """Return the *cohorts* that match, in the requested order."""
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
    """Conditions and sort order of the members of a cohort."""

    q: str = ""
    sort: MemberSort = MemberSort.TEXT
    #: Whether only direct members are listed; a nested cohort is one row.
    direct: bool = False

    @classmethod
    def from_query(cls, query: QueryDict) -> MemberSearch:
        """Return the search in *query*; raises BadRequest with every wrong value."""
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
        """Return the members of *view* that match, in the requested order."""
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
        # Amounts of a cohort include those of its queues, so rows of both would mislead.
        rows = (member for member in found if self.direct or not member.is_cohort)
        return sorted(rows, key=orders[self.sort])


def scales_of(members: Iterable[MemberView], *, with_cohorts: bool) -> dict[str, int]:
    """
    Return the amount that the full length of a bar stands for, by resource.

    It is the largest nominal quota or usage of one queue, or of a direct member *with_cohorts*.
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
