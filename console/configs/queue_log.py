"""The changelog of one queue: its changes, renames, and changes of rules that route to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q

from console.configs.changelog import VersionFilter, old_names_of, routed_to
from console.configs.models import ConfigVersion, VersionChange
from console.configs.stored_changes import load_change
from console.engine.diff import Change
from console.orgs.models import Organization
from console.paging import Page, read_cursor, write_cursor
from console.policies.queries import versions

_QUEUE = "queue"

#: Maximum number of changes listed for one version.
MOST_CHANGES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLog:
    """One page of the versions that changed a queue, newest first."""

    page: Page[ConfigVersion]
    #: The first changes of the queue, by version.
    changes: Mapping[int, tuple[Change, ...]]
    #: Former names of the queue, latest first.
    old_names: tuple[str, ...]


def queue_log(org: Organization, queue: str, limit: int, cursor: str | None = None) -> QueueLog:
    """Return the versions that changed *queue* under any of its names, without their texts."""
    old_names = old_names_of(org, VersionFilter(noun=_QUEUE, name=queue))
    names = (queue, *old_names)
    own = Q(noun=_QUEUE) & (Q(name__in=names) | Q(old_name__in=names))
    about = VersionChange.objects.filter(own | routed_to(names), org=org)
    rows = versions(org).defer("text").filter(number__in=about.order_by().values("version"))
    keys = read_cursor(cursor)
    if keys:
        rows = rows.filter(number__lt=keys[0])
    found = list(rows[: limit + 1])
    page = found[:limit]
    by_version: dict[int, list[Change]] = {version.number: [] for version in page}
    for row in about.filter(version__in=list(by_version)).order_by("id")[: limit * MOST_CHANGES]:
        by_version[row.version].append(load_change(row))
    return QueueLog(
        page=Page(page, write_cursor(page[-1].number) if len(found) > limit else None),
        changes={number: tuple(changes[:MOST_CHANGES]) for number, changes in by_version.items()},
        old_names=old_names,
    )
