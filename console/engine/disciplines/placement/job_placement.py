"""The placement of a job: its own filters and preferences, completed by a template."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from console.engine.disciplines.placement.plugin_host import HOST
from console.engine.disciplines.placement.read_placement import parse_placement
from console.engine.disciplines.placement.spec import Placement, PlacementSpec
from console.engine.model.workload import Workload

#: The key of a placement with the name of a template.
TEMPLATE = "template"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPlacement:
    """The effective placement of a job, or why it is not valid."""

    placement: Placement = field(default_factory=Placement)
    #: One sentence; "" if the placement is valid.
    problem: str = ""
    #: The labels of the job that filter policies and plugins read.
    labels: Mapping[str, str] = field(default_factory=dict)


def job_placement(spec: PlacementSpec, workload: Workload) -> JobPlacement:
    """
    Return the effective placement of *workload*.

    Lists that the job does not state are those of its template.
    """
    labels = relevant_labels(spec, workload)
    stated = workload.placement
    if not stated:
        return JobPlacement(labels=labels)
    own = parse_placement({key: value for key, value in stated.items() if key != TEMPLATE})
    if not isinstance(own, Placement):
        path, sentence = own[0]
        return JobPlacement(problem=f"placement.{path}: {sentence}", labels=labels)
    name = stated.get(TEMPLATE)
    if name is None:
        return JobPlacement(placement=own, labels=labels)
    template = spec.templates.get(str(name))
    if template is None:
        return JobPlacement(
            problem=f"The config has no placement template {name!r}.", labels=labels
        )
    return JobPlacement(
        placement=Placement(
            filters=own.filters or template.placement.filters,
            preferences=own.preferences or template.placement.preferences,
        ),
        labels=labels,
    )


def relevant_labels(spec: PlacementSpec, workload: Workload) -> Mapping[str, str]:
    """Return the labels of *workload* that filter policies and plugins of the config read."""
    keys = {key for each in spec.filter_policies.values() for key in each.job_labels}
    keys.update(key for each in HOST.listed(spec) for key in each.job_labels)
    return {key: workload.labels[key] for key in sorted(keys) if key in workload.labels}


def placement_key(workload: Workload) -> str:
    """Return a text that is equal for equal placements; "" without one."""
    return json.dumps(workload.placement, sort_keys=True) if workload.placement else ""
