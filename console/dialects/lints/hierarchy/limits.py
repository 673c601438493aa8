"""Limits of users and groups that allow as much as the queue itself."""

from __future__ import annotations

from collections.abc import Iterator

from console.dialects.findings import Findings
from console.dialects.lints.codes import LIMIT_WITHOUT_EFFECT
from console.dialects.lints.wording import quoted
from console.dialects.place_finder import PlaceFinder
from console.engine.disciplines.hierarchy.inheritance import maximum_of, on_path
from console.engine.disciplines.hierarchy.resources import NOTHING
from console.engine.disciplines.hierarchy.spec import HierarchyQueue, HierarchySpec, Limit


def lint_limits(spec: HierarchySpec, places: PlaceFinder, findings: Findings) -> None:
    """Report limits that the maxima of the queue reach before they do."""
    for queue in spec.queues.values():
        if not queue.limits:
            continue
        path = list(on_path(spec, queue.name))
        maximum = maximum_of(spec, queue.name) or NOTHING
        stated = [each.applications for each in path if each.applications]
        applications = min(stated, default=0)
        for limit in queue.limits:
            allows_all = all(
                name in maximum and amount >= maximum[name]
                for name, amount in (limit.resources or NOTHING).items()
            ) and (not limit.applications or 0 < applications <= limit.applications)
            if allows_all and not _is_repeated(limit, path[1:]):
                findings.add(
                    LIMIT_WITHOUT_EFFECT,
                    places.head(limit.origin),
                    f"The limit of queue {quoted(queue.name)} for {_names(limit)} allows as much "
                    "as the maximum of the queue or of one above it.",
                    "Lower it, or remove it.",
                )


def _is_repeated(limit: Limit, above: list[HierarchyQueue]) -> bool:
    """Return whether a queue above limits applications, which limits below it have to repeat."""
    return limit.applications > 0 and any(
        each.applications for queue in above for each in queue.limits
    )


def _names(limit: Limit) -> str:
    return " and ".join(_of_kind(limit))


def _of_kind(limit: Limit) -> Iterator[str]:
    for noun, names in (("user", limit.users), ("group", limit.groups)):
        if names:
            plural = "s" if len(names) > 1 else ""
            yield f"{noun}{plural} {', '.join(names[:3])}" + (", …" if len(names) > 3 else "")
