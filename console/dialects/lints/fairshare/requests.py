"""Recorded requests that exceed a limit of the queue that they name, or of one above it."""

from __future__ import annotations

from collections.abc import Sequence

from console.dialects.findings import Findings
from console.dialects.lints.codes import NEVER_FITS
from console.dialects.lints.wording import quoted, window, workloads
from console.dialects.place_finder import PlaceFinder
from console.dialects.routed_history import RoutedHistory, WorkloadKind
from console.engine.disciplines.fairshare.requests import need_of
from console.engine.disciplines.fairshare.resources import (
    NOTHING,
    RESOURCES,
    Amounts,
    plus,
    times,
)
from console.engine.disciplines.fairshare.spec import FairshareSpec
from console.engine.model.workload import Workload
from console.engine.wording.words import amount as in_words


def lint_requests(
    spec: FairshareSpec,
    name: str,
    kinds: Sequence[WorkloadKind],
    past: RoutedHistory,
    places: PlaceFinder,
    findings: Findings,
) -> None:
    """Report recorded workloads that request more than a limit on their path."""
    path = [spec.queues[each] for each in (name, *spec.path(name))]
    for resource in RESOURCES:
        limit, at = min(
            ((getattr(queue.limit, resource), queue) for queue in path),
            key=lambda found: found[0],
        )
        beyond = sum(
            shape.runs
            for kind in kinds
            for shape in kind.shapes
            if getattr(_least(shape.workload), resource) > limit
        )
        if beyond:
            most = in_words(limit, resource)
            findings.add(
                NEVER_FITS,
                places.name(at.origin, at.name),
                f"{workloads(beyond)} of {window(past)} in queue {quoted(name)} requested more "
                f"than the limit of queue {quoted(at.name)}, {most}.",
                "Raise the limit, or request less.",
            )


def _least(workload: Workload) -> Amounts:
    """Return the request of the pods with which a workload starts."""
    found = NOTHING
    for each in workload.pod_sets:
        count = each.minimum
        found = plus(found, times(need_of(each.requests).amounts(0), count))
    return found
