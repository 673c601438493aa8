"""Compiles objects without errors to the policy of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from console.dialects.findings import Place
from console.dialects.positions import Positions
from console.dialects.skyshift.routing import JobRouting
from console.dialects.skyshift.schema import (
    ClusterDoc,
    CriterionDoc,
    Document,
    ExpressionDoc,
    FilterPolicyDoc,
    Labels,
    PlacementDoc,
    PluginDoc,
    SchedulerDoc,
    TemplateDoc,
)
from console.dialects.written import Read, Written, value_of, written_items
from console.engine.disciplines.placement.spec import (
    MIN_WEIGHT,
    QUEUE,
    STANDARD_PLUGINS,
    Criterion,
    DeclaredCluster,
    Expression,
    FilterPolicy,
    GpuRule,
    OnUnplaceable,
    Operator,
    Placement,
    PlacementQueue,
    PlacementSpec,
    PluginUse,
    Rank,
    Reserve,
    Template,
)
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy

_Origins: TypeAlias = Callable[[Place], Origin | None]


def compile_policy(document: Document, positions: Positions) -> Policy:
    """Return the policy of a document without errors; without objects, it has no queue."""
    if not any(document.objects()):
        return Policy(dialect="skyshift", spec=PlacementSpec())

    def origin(place: Place) -> Origin:
        return positions.span(place.start, place.end)

    clusters = [_cluster(each, origin) for each in document.clusters]
    templates = [_template(each, origin) for each in document.templates]
    policies = [_filter_policy(each, origin) for each in document.filter_policies]
    scheduler = next(iter(document.schedulers), None)
    settings = SchedulerDoc(place=Place(0, 0), name=None) if scheduler is None else scheduler
    spec = PlacementSpec(
        queues={QUEUE: PlacementQueue(name=QUEUE)},
        clusters={each.name: each for each in clusters},
        templates={each.name: each for each in templates},
        filter_policies={each.name: each for each in policies},
        plugins=_plugins(settings.plugins, origin),
        on_unplaceable=value_of(settings.on_unplaceable) or OnUnplaceable.WAIT,
        reserve=value_of(settings.reserve) or Reserve.IMMEDIATE,
        gpu_rule=value_of(settings.gpu_rule) or GpuRule.INTENDED,
        rank=value_of(settings.rank) or Rank.LEXICOGRAPHIC,
        settings_origin=None if scheduler is None else origin(scheduler.place),
    )
    return Policy(dialect="skyshift", spec=spec, routing=JobRouting())


def compile_placement(placement: PlacementDoc, origin: _Origins = lambda place: None) -> Placement:
    """Return a placement without errors."""
    return Placement(
        filters=_criteria(placement.filters, origin),
        preferences=_criteria(placement.preferences, origin),
    )


def labels_of(labels: Labels) -> dict[str, str]:
    """Return labels as a mapping; empty if they are absent."""
    if not isinstance(labels, Written):
        return {}
    return {key.value: value_of(value) or "" for key, value in labels.value}


def name_of(read: Read[str]) -> str:
    """Return a text that is present in every document without errors."""
    text = value_of(read)
    assert text is not None, read
    return text


def _cluster(cluster: ClusterDoc, origin: _Origins) -> DeclaredCluster:
    return DeclaredCluster(
        name=name_of(cluster.name),
        labels=labels_of(cluster.labels),
        manager=value_of(cluster.manager),
        origin=origin(cluster.place),
    )


def _template(template: TemplateDoc, origin: _Origins) -> Template:
    return Template(
        name=name_of(template.name),
        placement=compile_placement(template.placement, origin),
        origin=origin(template.place),
    )


def _filter_policy(policy: FilterPolicyDoc, origin: _Origins) -> FilterPolicy:
    return FilterPolicy(
        name=name_of(policy.name),
        job_labels=labels_of(policy.job_labels),
        include=tuple(each.value for each in written_items(policy.include)),
        exclude=tuple(each.value for each in written_items(policy.exclude)),
        origin=origin(policy.place),
    )


def _plugins(plugins: Read[tuple[PluginDoc, ...]], origin: _Origins) -> tuple[PluginUse, ...]:
    if not isinstance(plugins, Written):
        return STANDARD_PLUGINS
    return tuple(
        PluginUse(
            name=name_of(each.name), weight=value_of(each.weight) or 1, origin=origin(each.place)
        )
        for each in plugins.value
    )


def _criteria(read: Read[tuple[CriterionDoc, ...]], origin: _Origins) -> tuple[Criterion, ...]:
    if not isinstance(read, Written):
        return ()
    return tuple(
        Criterion(
            name=name_of(each.name),
            labels=labels_of(each.labels),
            expressions=_expressions(each.expressions, origin),
            weight=value_of(each.weight) or MIN_WEIGHT,
            origin=origin(each.place),
        )
        for each in read.value
    )


def _expressions(read: Read[tuple[ExpressionDoc, ...]], origin: _Origins) -> tuple[Expression, ...]:
    if not isinstance(read, Written):
        return ()
    return tuple(
        Expression(
            key=name_of(each.key),
            operator=value_of(each.operator) or Operator.IN,
            values=tuple(value.value for value in written_items(each.values)),
            origin=origin(each.place),
        )
        for each in read.value
    )
