"""Unsupported settings: settings of configs and labels of workloads that have no effect."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from console.engine.model.origin import Origin


class Unsupported(StrEnum):
    """A kind of setting or label that is accepted and has no effect."""

    #: Admission checks before a workload is admitted.
    ADMISSION_CHECKS = "admission_checks"
    #: Ordering of pending workloads by past usage.
    PAST_USAGE = "past_usage"
    #: Concurrent admission attempts in several flavors.
    CONCURRENT_FLAVORS = "concurrent_flavors"
    #: A time limit for pods to become ready.
    PODS_READY = "pods_ready"
    #: Resource transformations: requests of some resources count as others.
    TRANSFORMATIONS = "transformations"
    #: Resources whose requests are not counted.
    EXCLUDED_RESOURCES = "excluded_resources"
    #: Placement of pods close to each other within a flavor.
    TOPOLOGY = "topology"
    #: The same, requested by a label of the workload; so are the next two.
    LABELED_TOPOLOGY = "labeled_topology"
    #: A maximum run time in another form than whole seconds. In traces of earlier releases: in
    #: any form.
    LABELED_EXECUTION_TIME = "labeled_execution_time"
    #: Resizing of the running workload.
    LABELED_ELASTIC_SIZE = "labeled_elastic_size"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsupportedSetting:
    """One setting that has no effect."""

    kind: Unsupported
    #: The queue, flavor or label with the setting; empty: the whole policy.
    subject: str = ""
    #: The value of the setting: checks, resources, prefixes of resources, or a topology.
    names: tuple[str, ...] = ()
    origin: Origin | None = None
