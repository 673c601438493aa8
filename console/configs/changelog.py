"""The changelog of a config: versions with their changes, filtered by author, kind or object."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, F, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.http import QueryDict

from console.configs.models import ConfigVersion, VersionChange
from console.configs.stored_changes import load_change
from console.dialects.objects import kinds_with_target, shared_vocabulary
from console.engine.diff import Change
from console.orgs.models import Organization
from console.paging import Page, read_cursor, write_cursor
from console.policies.queries import versions
from console.policies.renames import MOST_NAMES
from console.reading import QueryReader

#: Maximum number of changes listed for one version.
_MOST_LISTED = 3

#: Kinds of versions that a filter accepts, and the condition on their rows.
KINDS = {
    "apply": Q(kind=ConfigVersion.Kind.APPLY),
    "rollback": Q(kind=ConfigVersion.Kind.ROLLBACK) & ~Q(via=ConfigVersion.Via.TIMER),
    "timer": Q(kind=ConfigVersion.Kind.ROLLBACK, via=ConfigVersion.Via.TIMER),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionFilter:
    """Filter of versions; an empty field matches all."""

    author: str = ""
    kind: str = ""
    noun: str = ""
    name: str = ""
    #: Start (inclusive) and end (exclusive) of the time range; None is unbounded.
    since: datetime | None = None
    until: datetime | None = None

    @classmethod
    def from_query(cls, query: QueryDict, noun: str = "noun") -> VersionFilter:
        """
        Return the filter of the query parameters *query*.

        *noun* is the name of the parameter for the kind of object. Raises BadRequest with every
        invalid value.
        """
        reader = QueryReader(query)
        found = cls(
            author=reader.text("author") or "",
            kind=reader.choice("kind", list(KINDS)) or "",
            noun=reader.choice(noun, shared_vocabulary().kinds) or "",
            name=reader.text("name") or "",
            since=reader.time("since"),
            until=reader.end("until"),
        )
        reader.finish()
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSummary:
    """The first changes of a version, and their total number."""

    changes: tuple[Change, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One page of versions, newest first, with their changes."""

    page: Page[ConfigVersion]
    changes: Mapping[int, ChangeSummary] = field(default_factory=dict)
    #: Former names of the filtered object, latest first.
    old_names: tuple[str, ...] = ()


def read_log(
    org: Organization, chosen: VersionFilter, limit: int, cursor: str | None = None
) -> Log:
    """Return the versions that match *chosen*, without their texts."""
    rows = versions(org).defer("text")
    old_names: tuple[str, ...] = ()
    if chosen.author:
        rows = rows.filter(author=chosen.author)
    if chosen.kind:
        rows = rows.filter(KINDS[chosen.kind])
    if chosen.since:
        rows = rows.filter(created_at__gte=chosen.since)
    if chosen.until:
        rows = rows.filter(created_at__lt=chosen.until)
    if chosen.noun or chosen.name:
        found = VersionChange.objects.filter(org=org)
        if chosen.noun:
            found = found.filter(noun=chosen.noun)
        if chosen.name:
            old_names = old_names_of(org, chosen)
            found = found.filter(_name_condition(chosen, (chosen.name, *old_names)))
        rows = rows.filter(number__in=found.order_by().values("version"))
    keys = read_cursor(cursor)
    if keys:
        rows = rows.filter(number__lt=keys[0])
    got = list(rows[: limit + 1])
    page = got[:limit]
    following = write_cursor(page[-1].number) if len(got) > limit else None
    return Log(
        page=Page(page, following),
        changes=changes_of(org, [version.number for version in page], _MOST_LISTED),
        old_names=old_names,
    )


def changes_of(org: Organization, numbers: Collection[int], most: int) -> dict[int, ChangeSummary]:
    """Return the first *most* changes of each of the versions *numbers*, and their total number."""
    rows = VersionChange.objects.filter(org=org, version__in=numbers).order_by()
    totals = dict(rows.values_list("version").annotate(count=Count("id")))
    first = _first(rows, most)
    by_version: dict[int, list[Change]] = {}
    for row in first:
        by_version.setdefault(row.version, []).append(load_change(row))
    return {
        number: ChangeSummary(
            changes=tuple(by_version.get(number, ())), total=totals.get(number, 0)
        )
        for number in numbers
    }


def authors_of(org: Organization, most: int = 100) -> list[str]:
    """Return at most *most* authors of versions, by name."""
    rows = ConfigVersion.objects.filter(org=org).order_by("author")
    return list(rows.values_list("author", flat=True).distinct()[:most])


def _first(rows: QuerySet[VersionChange], most: int) -> QuerySet[VersionChange]:
    place = Window(RowNumber(), partition_by=[F("version")], order_by=["id"])
    return rows.annotate(place=place).filter(place__lte=most).order_by("id")


def _name_condition(chosen: VersionFilter, names: Collection[str]) -> Q:
    """Return the condition for changes of the named object, and of rules that route to it."""
    condition = Q(name__in=names) | Q(old_name__in=names)
    if not chosen.noun or chosen.noun in kinds_with_target():
        condition |= routed_to(names)
    return condition


def routed_to(names: Collection[str]) -> Q:
    """Return the condition for changes of rules that route, or routed, to an object of *names*."""
    condition = Q()
    for name in names:
        suffix = f" to {name}"
        condition |= Q(name__endswith=suffix) | Q(old_name__endswith=suffix)
    return Q(noun__in=kinds_with_target()) & condition


def old_names_of(org: Organization, chosen: VersionFilter) -> tuple[str, ...]:
    """Return the former names of the object, latest first."""
    names = [chosen.name]
    renames = VersionChange.objects.filter(org=org, kind="renamed").order_by("-version")
    if chosen.noun:
        renames = renames.filter(noun=chosen.noun)
    while len(names) <= MOST_NAMES:
        older = renames.filter(name=names[-1]).values_list("old_name", flat=True).first()
        if older is None or older in names:
            break
        names.append(older)
    return tuple(names[1:])
