"""The objects of a text as written: every field with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from console.dialects.findings import Place
from console.dialects.written import Read, Written
from console.engine.disciplines.placement.spec import (
    GpuRule,
    OnUnplaceable,
    Operator,
    Rank,
    Reserve,
)

#: Labels by key, each with the places of both.
Labels: TypeAlias = Read[tuple[tuple[Written[str], Read[str]], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionDoc:
    """One of ``match_expressions``."""

    place: Place
    key: Read[str]
    operator: Read[Operator]
    values: Read[tuple[Read[str], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionDoc:
    """A filter or a preference."""

    place: Place
    name: Read[str]
    labels: Labels
    expressions: Read[tuple[ExpressionDoc, ...]]
    #: None for a filter.
    weight: Read[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementDoc:
    """Filters and preferences."""

    filters: Read[tuple[CriterionDoc, ...]] = None
    preferences: Read[tuple[CriterionDoc, ...]] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDoc:
    """A Cluster."""

    place: Place
    #: The name that SkyShift gives to the cluster.
    name: Read[str]
    labels: Labels
    manager: Read[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateDoc:
    """A PlacementTemplate."""

    place: Place
    name: Read[str]
    placement: PlacementDoc


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterPolicyDoc:
    """A FilterPolicy."""

    place: Place
    name: Read[str]
    job_labels: Labels
    include: Read[tuple[Read[str], ...]]
    exclude: Read[tuple[Read[str], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginDoc:
    """One of the plugins of the Scheduler."""

    place: Place
    name: Read[str]
    weight: Read[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerDoc:
    """The Scheduler."""

    place: Place
    name: Read[str]
    plugins: Read[tuple[PluginDoc, ...]] = None
    on_unplaceable: Read[OnUnplaceable] = None
    reserve: Read[Reserve] = None
    gpu_rule: Read[GpuRule] = None
    rank: Read[Rank] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """All objects of a text, by kind, in the order of the text."""

    clusters: tuple[ClusterDoc, ...] = ()
    templates: tuple[TemplateDoc, ...] = ()
    filter_policies: tuple[FilterPolicyDoc, ...] = ()
    schedulers: tuple[SchedulerDoc, ...] = ()

    def objects(self) -> Iterator[ClusterDoc | TemplateDoc | FilterPolicyDoc | SchedulerDoc]:
        """Yield all objects, kind by kind."""
        yield from self.clusters
        yield from self.templates
        yield from self.filter_policies
        yield from self.schedulers
