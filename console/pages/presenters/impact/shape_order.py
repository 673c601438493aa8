"""The order of recorded shapes: by their workloads, or by their request of one resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from console.engine.wording.words import listed
from console.pages.presenters.lists.addresses import with_query
from console.pages.templatetags.ui import count


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """One sort order of shapes, and its URL."""

    title: str
    url: str
    current: bool


def sort_resource(history: Mapping[str, Any], query: QueryDict) -> str:
    """Return the resource that *query* sorts by; empty: by number of workloads."""
    resource = query.get("sort", "")
    return resource if resource in history["resources"] else ""


def total_request(row: Mapping[str, Any], resource: str) -> int:
    """Return the total request of all workloads of a stored shape, in thousandths."""
    return int(row["requests"].get(resource, 0)) * int(row["runs"])


def order_words(resource: str) -> str:
    """Return the text of the sort order."""
    return f"most {resource} requested" if resource else "most workloads"


def sorts_of(
    history: Mapping[str, Any], chosen: str, path: str, query: QueryDict
) -> tuple[Sort, ...]:
    """Return the sort orders of the shapes of a stored impact at *path*."""
    return tuple(
        Sort(
            title=resource or "workloads",
            url=with_query(path, query, sort=resource or None, skip=None),
            current=resource == chosen,
        )
        for resource in ("", *history["resources"])
    )


def cut_note(kept: int, shapes: int, history: Mapping[str, Any]) -> str:
    """Return the note of a list with *kept* of *shapes*; empty if the list is complete."""
    if kept >= shapes:
        return ""
    resources = listed(history["resources"])
    others = f" and the most {resources} requested" if resources else ""
    return (
        f"{count(kept)} of {count(shapes)} shapes can be listed: for each outcome the "
        f"{history['listed']} with the most workloads{others}."
    )
