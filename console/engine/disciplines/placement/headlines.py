"""Headlines of the reasons of the discipline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from console.engine.disciplines.placement.trace import (
    ClusterRoom,
    ClusterStage,
    NeverPlaced,
    PodSetPlacement,
    facts_of,
)
from console.engine.explain.sentences import ExplainContext
from console.engine.model.decision import PlacedPods, Resize
from console.engine.wording.words import (
    amounts,
    cut,
    failed_expression,
    listed,
    lower_first,
    plural,
    sentence_case,
)

#: The most clusters of which a headline states the numbers.
_SHOWN: Final = 5


def _last(context: ExplainContext) -> PodSetPlacement:
    pod_sets = facts_of(context.trace).pod_sets
    return pod_sets[-1] if pod_sets else PodSetPlacement()


def placed(context: ExplainContext) -> str:
    """Return the clusters of the replicas."""
    counts = _by_cluster(
        PlacedPods(pod_set=each.name, place=place)
        for each in context.trace.outcome.assignment
        for place in each.places
    )
    if not counts:
        return "Placed."
    if len(counts) == 1:
        return f"Placed on {next(iter(counts))}."
    return f"Placed on {_counted(counts)}."


def moved(context: ExplainContext) -> str:
    """Return how many replicas moved, and where."""
    resize = context.trace.outcome.resize or Resize()
    granted, taken = _by_cluster(resize.granted), _by_cluster(resize.taken)
    count = plural(sum(granted.values()), "replica")
    origin = f" from {cut(list(taken))}" if taken else ""
    all_pods = sum(each.count for each in context.trace.outcome.assignment)
    rest = "; the others stay" if sum(granted.values()) < all_pods else ""
    target = next(iter(granted)) if len(granted) == 1 else _counted(granted)
    return f"Running: {count} moved{origin} to {target}{rest}."


def lost(context: ExplainContext) -> str:
    """Return how many replicas wait for another place."""
    wanted = sum(each.replicas for each in facts_of(context.trace).pod_sets)
    count = plural(wanted, "replica") if wanted else "some replicas"
    if wanted == 1:
        return (
            f"Running, but {count} lost its place and does not fit elsewhere now. It gets another "
            "place when there is room for it."
        )
    return (
        f"Running, but {count} lost their place and do not fit elsewhere now. They get another "
        "place when there is room for all of them."
    )


def _by_cluster(pods: Iterable[PlacedPods]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for each in pods:
        name = each.place.cluster or ""
        counts[name] = counts.get(name, 0) + each.place.count
    return counts


def _counted(counts: Mapping[str, int]) -> str:
    return cut([f"{name} ({plural(count, 'replica')})" for name, count in counts.items()])


def do_not_fit(context: ExplainContext) -> str:
    """Return how many replicas fit, and for each cluster what a further one lacks."""
    found = _last(context)
    lead = (
        f"Waiting: {found.placed} of {plural(found.replicas, 'replica')} fit on the clusters that "
        "may take the job, and all have to be placed together."
    )
    rooms = [
        f"{each.cluster} has room for {each.replicas or 'none'}, and then node {each.node} lacks "
        f"{amounts(each.lacks)}"
        if each.stage is ClusterStage.KEPT
        else f"{each.cluster} has room for none: node {each.node} lacks {amounts(each.lacks)}"
        for each in found.clusters
        if each.lacks and not each.is_excluded
    ]
    return f"{lead} Cluster {_first_of(rooms, 'cluster')}." if rooms else lead


def no_node(context: ExplainContext) -> str:
    """Return for each cluster which node comes closest to one replica, and what it lacks."""
    short = [
        each
        for each in _last(context).clusters
        if each.stage is ClusterStage.CAPACITY and not each.is_excluded and each.node is not None
    ]
    lead = "Waiting: no node has room for one replica now."
    if not short:
        return lead
    short.sort(key=lambda each: (len(each.lacks), sum(each.lacks.values())))
    nodes = [f"node {each.node} of {each.cluster} lacks {amounts(each.lacks)}" for each in short]
    return f"{lead} {sentence_case(_first_of(nodes, 'cluster'))}."


def no_cluster_ready(context: ExplainContext) -> str:
    """Return that no cluster is ready, or none that could take the job."""
    found = _last(context).clusters
    waiting = [each for each in found if each.stage is ClusterStage.NOT_READY]
    if len(waiting) == len(found):
        return "Waiting: no cluster is ready."
    named = [each.cluster for each in waiting if not each.is_excluded]
    if not named:
        return "Waiting: no cluster that may take the job has reported nodes."
    are = "is" if len(named) == 1 else "are"
    return f"Waiting: no cluster that could take the job is ready; {cut(named)} {are} not ready."


def no_cluster_matches(context: ExplainContext) -> str:
    """Return for each cluster the filters or the policy that exclude it."""
    lead = "Can never be placed: no cluster passes the filters that apply to the job."
    never = facts_of(context.trace).never
    if never is None or not never.rooms:
        return lead
    excluded = [f"{each.cluster} {_exclusion(each)}" for each in never.rooms]
    return f"{lead} Cluster {_first_of(excluded, 'cluster')}. {_other_filters(never)}"


def exceeds_every_node(context: ExplainContext) -> str:
    """Return for each cluster what the closest node lacks, and the largest possible request."""
    never = facts_of(context.trace).never
    lead = (
        "Can never be placed: one replica requests more than any node of a matching cluster offers"
    )
    rooms = [each for each in never.admitted if each.lacks] if never is not None else []
    if never is None or not rooms:
        return f"{lead}."
    rooms.sort(key=lambda each: _part(each, never.request))
    nodes = [f"node {each.node} of {each.cluster} lacks {amounts(each.lacks)}" for each in rooms]
    sentences = [f"{lead}, even if nothing else ran there.", f"{_first_of(nodes, 'cluster')}."]
    most = {
        resource: never.request.get(resource, short) - short
        for resource, short in rooms[0].lacks.items()
    }
    others = _other_filters(never)
    ways = f"have a larger node added{f', or {lower_first(others)}' if others else '.'}"
    if all(value > 0 for value in most.values()):
        sentences.append(f"Request at most {amounts(most)} for each replica, or {ways}")
    else:
        sentences.append(sentence_case(ways))
    return " ".join(map(sentence_case, sentences))


def exceeds_all_clusters(context: ExplainContext) -> str:
    """Return for each cluster how many replicas it could hold."""
    never = facts_of(context.trace).never
    lead = "Can never be placed: the clusters that the job may use are too small for all replicas"
    if never is None:
        return f"{lead}."
    holds = cut(f"{each.replicas} on {each.cluster}" for each in never.admitted if each.replicas)
    others = _other_filters(never)
    ways = f"have nodes added{f', or {lower_first(others)}' if others else '.'}"
    return (
        f"{lead}. Even if nothing else ran there, they could hold {never.possible} of "
        f"{plural(never.replicas, 'replica')}: {holds}. Request at most "
        f"{plural(never.possible, 'replica')}, or {ways}"
    )


def _other_filters(never: NeverPlaced) -> str:
    """Return what to change about filters, if they exclude a cluster that has the room."""
    useful = [each for each in never.rooms if each.is_excluded and each.replicas]
    if not useful:
        return "" if never.admitted else "Change the filters, and request less."
    names = cut(
        f"{each.cluster} ({each.replicas} of {plural(never.replicas, 'replica')})"
        if each.replicas < never.replicas
        else each.cluster
        for each in useful
    )
    filters = dict.fromkeys(failed.name for each in useful for failed in each.failed)
    policies = dict.fromkeys(each.policy for each in useful if each.policy)
    parts = []
    if filters:
        parts.append(f"the {'filter' if len(filters) == 1 else 'filters'} {cut(filters)}")
    if policies:
        parts.append(f"the filter policy {cut(policies)}")
    return f"Change {listed(parts) or 'the filters'} to allow {names}."


def _exclusion(room: ClusterRoom) -> str:
    if room.policy:
        return f"is excluded by the filter policy {room.policy}"
    tried = listed(f"{each.name}: {failed_expression(each.failed)}" for each in room.failed)
    return f"satisfies no filter ({tried})" if tried else "is excluded"


def _part(room: ClusterRoom, request: Mapping[str, int]) -> float:
    """Return which part of a request the closest node of a cluster lacks."""
    return sum(short / max(1, request.get(name, short)) for name, short in room.lacks.items())


def _first_of(clauses: Sequence[str], noun: str) -> str:
    """Return the first few clauses, with the number of the others."""
    more = len(clauses) - _SHOWN
    shown = [*clauses[:_SHOWN], *([f"{plural(more, f'more {noun}')}"] if more > 0 else [])]
    return "; ".join(shown)


def failed(context: ExplainContext) -> str:
    """Return which plugin failed, and its error."""
    failure = _last(context).failure
    if failure is None:
        return "Waiting: a plugin of the scheduler failed."
    return f"Waiting: the plugin {failure.plugin} failed. {failure.sentence}"


def removed(context: ExplainContext) -> str:
    """Return what the first plugin says that removes a cluster."""
    by_plugin = [each for each in _last(context).clusters if each.stage is ClusterStage.PLUGIN]
    if not by_plugin:
        return "Waiting: plugins of the scheduler remove every cluster that has room."
    first = by_plugin[0]
    said = next((each.sentence for each in first.said if each.plugin == first.plugin), "")
    return f"Waiting: the plugin {first.plugin} removes {first.cluster}. {said}".rstrip()


def not_placeable(context: ExplainContext) -> str:
    """Return that the config rejects jobs without a placement."""
    failure = _last(context).failure
    if failure is None:
        return "Rejected: no placement was possible on arrival, and the config rejects such jobs."
    return (
        f"Rejected: the plugin {failure.plugin} failed on arrival, and the config rejects jobs "
        f"without a placement. {failure.sentence}"
    )


def invalid(context: ExplainContext) -> str:
    """Return why the placement is not valid."""
    problem = facts_of(context.trace).problem
    return f"Rejected: {problem}" if problem else "Rejected: its placement is not valid."
