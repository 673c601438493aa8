"""Phrases about pods and nodes: where pods started, which ones have to stop, what nodes lack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from console.engine.explain.sentences import ExplainContext
from console.engine.model.decision import PlacedPods, Resize
from console.engine.wording.words import cut, listed, plural, resource_name

#: The causes of a shortage that are no resources, as words after "4 nodes".
_CAUSES: Final[Mapping[str, tuple[str, str]]] = {
    "constraints": (
        "is excluded by its labels or taints",
        "are excluded by their labels or taints",
    ),
    "not_ready": ("is not ready", "are not ready"),
    "reserved": ("keeps its room for another workload", "keep their room for other workloads"),
}


class ShortNodes(Protocol):
    """A number of nodes that lack the same resource, or are excluded for the same cause."""

    @property
    def cause(self) -> str:
        """A resource, or one of the causes ``constraints``, ``not_ready`` and ``reserved``."""

    @property
    def nodes(self) -> int:
        """The number of nodes."""


def started(context: ExplainContext) -> str:
    """Return where the pods run."""
    counts = _by_node(
        PlacedPods(pod_set=each.name, place=place)
        for each in context.trace.outcome.assignment
        for place in each.places
    )
    return f"Started on {_counted(counts)}." if counts else "Started."


def grown(context: ExplainContext) -> str:
    """Return which further pods run."""
    resize = context.trace.outcome.resize or Resize()
    counts = _by_node(resize.granted)
    if not counts:
        return "Running."
    return f"Running: {plural(sum(counts.values()), 'further pod')} started on {_counted(counts)}."


def pods_lost(context: ExplainContext) -> str:
    """Return that lost pods wait for another place."""
    return (
        "Running without some of its pods, which lost their nodes. They start elsewhere when there "
        "is room for them."
    )


def waits_for_stopping(context: ExplainContext) -> str:
    """Return that the room is found, and which workloads have to leave it."""
    victims = context.trace.outcome.victims
    lead = f"Starting soon in {context.queue}"
    if victims:
        have = "has" if len(victims) == 1 else "have"
        return f"{lead}: {context.named(victims)} {have} to stop first."
    return f"{lead}: its room is free as soon as pods that have to stop have stopped."


def preempted_lead(context: ExplainContext) -> str:
    """Return whether the whole workload or some of its pods have to stop, without a period."""
    resize = context.trace.outcome.resize
    if resize is None:
        return "Preempted"
    count = sum(each.place.count for each in resize.taken)
    return f"Running, but {plural(count, 'pod')} {'has' if count == 1 else 'have'} to stop"


def shortages(nodes: Iterable[ShortNodes]) -> str:
    """Return what nodes lack, such as "3 nodes lack GPUs and 1 node is not ready"."""
    return listed(_shortage(each) for each in nodes)


def _shortage(each: ShortNodes) -> str:
    words = _CAUSES.get(each.cause)
    if words is None:
        noun = resource_name(each.cause)
        noun = f"{noun}s" if noun.isupper() else noun
        words = f"lacks {noun}", f"lack {noun}"
    return f"{plural(each.nodes, 'node')} {words[0] if each.nodes == 1 else words[1]}"


def _by_node(pods: Iterable[PlacedPods]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for each in pods:
        name = each.place.node or each.place.cluster or ""
        if name:
            counts[name] = counts.get(name, 0) + each.place.count
    return counts


def _counted(counts: Mapping[str, int]) -> str:
    if len(counts) == 1:
        return next(iter(counts))
    return cut([f"{name} ({plural(count, 'pod')})" for name, count in counts.items()])
