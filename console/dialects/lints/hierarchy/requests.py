"""Recorded requests that exceed a maximum on the path of their queue."""

from __future__ import annotations

from collections.abc import Sequence

from console.dialects.findings import Findings
from console.dialects.lints.codes import NEVER_FITS
from console.dialects.lints.wording import quoted, window, workloads
from console.dialects.place_finder import PlaceFinder
from console.dialects.routed_history import RoutedHistory, WorkloadKind
from console.engine.disciplines.hierarchy.application_builder import is_gang
from console.engine.disciplines.hierarchy.eligibility import gang_total
from console.engine.disciplines.hierarchy.inheritance import on_path, template_of
from console.engine.disciplines.hierarchy.requests import in_thousandths, of_pod
from console.engine.disciplines.hierarchy.resources import NOTHING, Resources
from console.engine.disciplines.hierarchy.spec import HierarchyQueue, HierarchySpec
from console.engine.model.workload import Workload
from console.engine.wording.words import amount as in_words


def lint_requests(
    spec: HierarchySpec,
    name: str,
    kinds: Sequence[WorkloadKind],
    past: RoutedHistory,
    places: PlaceFinder,
    findings: Findings,
) -> None:
    """Report recorded workloads that request more than a maximum on their path."""
    requests = [(shape.runs, _least(shape.workload)) for kind in kinds for shape in kind.shapes]
    for resource, (maximum, at, owner) in _maxima(spec, name).items():
        beyond = sum(runs for runs, least in requests if least.get(resource, 0) > maximum)
        if beyond:
            scaled = in_thousandths({resource: maximum}).get(resource, 0)
            findings.add(
                NEVER_FITS,
                places.last_name(at.origin, at.spelling),
                f"{workloads(beyond)} of {window(past)} in queue {quoted(name)} requested more "
                f"than the maximum of {owner}, {in_words(scaled, resource)}.",
                "Raise the maximum, or request less.",
            )


def _maxima(spec: HierarchySpec, name: str) -> dict[str, tuple[int, HierarchyQueue, str]]:
    """
    Return the smallest maximum of each resource, with a queue of the text and what has it.

    A queue that a rule creates has the maximum of a template.
    """
    found: dict[str, tuple[int, HierarchyQueue, str]] = {}
    template = template_of(spec, name)
    for queue in on_path(spec, name):
        at, owner = queue, f"queue {quoted(queue.name)}"
        if queue.name not in spec.queues:
            if template is None:
                continue
            at, owner = (
                spec.queues[template.queue],
                f"the template of queue {quoted(template.queue)}",
            )
        for resource, amount in (spec.compatibility.maximum(queue.maximum) or NOTHING).items():
            if resource not in found or amount < found[resource][0]:
                found[resource] = amount, at, owner
    return found


def _least(workload: Workload) -> Resources:
    """Return what has to fit at once: the pods that start together, or else the largest pod."""
    if is_gang(workload):
        return gang_total(workload)
    found: dict[str, int] = {}
    for each in workload.pod_sets:
        for resource, amount in of_pod(each.requests, counts_pods=True).items():
            found[resource] = max(found.get(resource, 0), amount)
    return found
