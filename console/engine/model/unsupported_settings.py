"""Unsupported settings: what a config or a workload may request and what has no effect."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from console.engine.model.origin import Origin


class Unsupported(StrEnum):
    """Something that a config or a workload may ask for and that nothing acts on."""

    #: Admission is to wait for checks by others.
    ADMISSION_CHECKS = "admission_checks"
    #: The order of waiting is to depend on what was used before.
    PAST_USAGE = "past_usage"
    #: A workload is to be tried in several flavors at once.
    CONCURRENT_FLAVORS = "concurrent_flavors"
    #: Pods are to become ready in time.
    PODS_READY = "pods_ready"
    #: Requests of some resources are to be counted as others.
    TRANSFORMATIONS = "transformations"
    #: Requests of some resources are not to be counted.
    EXCLUDED_RESOURCES = "excluded_resources"
    #: Pods are to be put near each other inside a flavor.
    TOPOLOGY = "topology"
    #: The same, asked for by a label of the workload; so are the next two.
    LABELED_TOPOLOGY = "labeled_topology"
    #: The workload is to be stopped after a time.
    LABELED_EXECUTION_TIME = "labeled_execution_time"
    #: The workload is to grow and shrink while it runs.
    LABELED_ELASTIC_SIZE = "labeled_elastic_size"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsupportedSetting:
    """One setting that is not acted on."""

    kind: Unsupported
    #: The queue, flavor or label that asks for it; empty: the whole policy does.
    subject: str = ""
    #: Checks, resources, prefixes of resources, or a topology: what it names.
    names: tuple[str, ...] = ()
    origin: Origin | None = None
