"""Phrases about pods and nodes: where pods started, which ones have to stop, what nodes lack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol

from console.engine.explain.exceeded import node_sentences
from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.model.decision import Assignment, Outcome, PlacedPods, Resize
from console.engine.model.exceeded import Exceeded
from console.engine.model.trace import PreemptedStep
from console.engine.wording.words import amounts, cut, listed, plural, resource_name

#: The causes of a shortage that are no resources, as words after "4 nodes".
_CAUSES: Final[Mapping[str, tuple[str, str]]] = {
    "constraints": (
        "is excluded by its name, labels or taints",
        "are excluded by their names, labels or taints",
    ),
    "not_ready": ("is not ready", "are not ready"),
    "reserved": ("is reserved for another workload", "are reserved for other workloads"),
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
    return f"{lead}: its capacity is free as soon as pods that have to stop have stopped."


def preempted_lead(context: ExplainContext) -> str:
    """
    Return whether the whole workload or some of its pods stop, without a period.

    It stays true after the pods have stopped, until others start in their place.
    """
    resize = context.trace.outcome.resize
    if resize is None:
        return "Preempted"
    count = sum(each.place.count for each in resize.taken)
    return f"Running without {count} of its pods"


def no_node(context: ExplainContext, nodes: Iterable[ShortNodes]) -> str:
    """Return that no node has room for the pod, and what nodes lack."""
    found = shortages(nodes)
    found = f": {found}" if found else ""
    return f"Waiting in {context.queue}: no node has room for its pod now{found}."


def placed_pods(placed: int, pods: int) -> str:
    """Return how many of the pods that start together have room; *pods* 0: not known."""
    if not pods:
        return "some of its pods, which start together"
    return f"{placed} of the {plural(pods, 'pod')} that start together"


def nodes_stage(
    context: ExplainContext,
    nodes: Sequence[ShortNodes],
    exceeded: Sequence[Exceeded],
    *,
    pods: int,
    placed: int,
) -> StageText:
    """
    Return the stage about nodes: what they lack for *pods*, or where the pods started.

    *exceeded* has what they lack even if nothing else runs.
    """
    outcome = context.trace.outcome
    never = node_sentences(exceeded)
    sentences = [Sentence(text=f"{shortages([each])}.", verdict=Verdict.FAIL) for each in nodes]
    if pods > 1 and nodes:
        text = (
            f"{placed} of the {plural(pods, 'pod')} have room; they start together or not at all."
        )
        sentences.insert(0, Sentence(text=text, verdict=Verdict.FAIL))
    if outcome.outcome is Outcome.ADMITTED:
        sentences = list(_places(outcome.assignment))
    verdict = Verdict.FAIL if nodes or never else Verdict.PASS
    return stage_text("nodes", verdict, [*never, *sentences])


def _places(assignment: Assignment) -> Iterator[Sentence]:
    for each in assignment:
        for place in each.places:
            where = f"{place.node} of {place.cluster}" if place.node else place.cluster
            of = f" of {each.name}" if len(assignment) > 1 else ""
            yield Sentence(
                text=f"{plural(place.count, 'pod')}{of} on {where}.", verdict=Verdict.PASS
            )


def preemptor(context: ExplainContext, step: PreemptedStep) -> Sentence:
    """Return what the workload requests for which this one stops."""
    text = (
        f"{context.name(step.preemptor)} requests {amounts(step.preemptor_requests) or 'nothing'} "
        f"in {step.queue} with priority {step.preemptor_priority}."
    )
    return Sentence(text=text, verdict=Verdict.FAIL, workloads=(step.preemptor,))


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
