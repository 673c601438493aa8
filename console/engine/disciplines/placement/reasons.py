"""The reasons of the discipline, with their headlines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from console.engine.disciplines.placement.trace import ClusterStage, PodSetPlacement, facts_of
from console.engine.explain.sentences import ExplainContext
from console.engine.model.decision import PlacedPods, Resize
from console.engine.model.reasons import Reason, ReasonClass, Shortage, register
from console.engine.wording.words import amounts, cut, plural


def _last(context: ExplainContext) -> PodSetPlacement:
    pod_sets = facts_of(context.trace).pod_sets
    return pod_sets[-1] if pod_sets else PodSetPlacement()


def _placed(context: ExplainContext) -> str:
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


def _moved(context: ExplainContext) -> str:
    resize = context.trace.outcome.resize or Resize()
    granted, taken = _by_cluster(resize.granted), _by_cluster(resize.taken)
    count = plural(sum(granted.values()), "replica")
    origin = f" from {cut(list(taken))}" if taken else ""
    all_pods = sum(each.count for each in context.trace.outcome.assignment)
    rest = "; the others stay" if sum(granted.values()) < all_pods else ""
    target = next(iter(granted)) if len(granted) == 1 else _counted(granted)
    return f"Running: {count} moved{origin} to {target}{rest}."


def _lost(context: ExplainContext) -> str:
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


def _do_not_fit(context: ExplainContext) -> str:
    found = _last(context)
    return (
        f"Waiting: {found.placed} of {plural(found.replicas, 'replica')} fit on the clusters that "
        "may take the job, and all have to be placed together."
    )


def _no_node(context: ExplainContext) -> str:
    short = [
        each
        for each in _last(context).clusters
        if each.stage is ClusterStage.CAPACITY and not each.is_excluded
    ]
    best = min(short, key=lambda each: sum(each.lacks.values()), default=None)
    if best is None or best.node is None:
        return "Waiting: no node has room for one replica now."
    return (
        f"Waiting: no node has room for one replica now. Node {best.node} of {best.cluster} lacks "
        f"{amounts(best.lacks)}."
    )


PLACED: Final = register(
    Reason(
        "placed",
        label="Placed",
        reason_class=ReasonClass.RUNNING,
        headline=_placed,
        pods_event="{name} has all its pods again.",
    )
)
MOVED: Final = register(
    Reason("moved", label="Moved", reason_class=ReasonClass.RUNNING, headline=_moved)
)
REPLICAS_LOST: Final = register(
    Reason(
        "replicas_lost",
        label="Replicas lost",
        reason_class=ReasonClass.RUNNING,
        headline=_lost,
        pods_event="{name} runs without some of its pods, which do not fit elsewhere now.",
        advice="Wait until other clusters have room, or bring the lost cluster back.",
    )
)
NO_CLUSTER_READY: Final = register(
    Reason(
        "no_cluster_ready",
        label="No cluster ready",
        reason_class=ReasonClass.WAITING,
        headline="Waiting: no cluster is ready.",
        advice="Wait until a cluster reports that it is ready, or ask its operators.",
        shortage=Shortage.NOW,
    )
)
NO_NODE_FITS: Final = register(
    Reason(
        "no_node_fits",
        label="No room on a node",
        reason_class=ReasonClass.WAITING,
        headline=_no_node,
        advice="Wait, or request less for each replica.",
        shortage=Shortage.NOW,
    )
)
REPLICAS_DO_NOT_FIT: Final = register(
    Reason(
        "replicas_do_not_fit",
        label="No room for all replicas",
        reason_class=ReasonClass.WAITING,
        headline=_do_not_fit,
        advice="Wait, or request fewer replicas.",
        shortage=Shortage.NOW,
    )
)
NO_CLUSTER_MATCHES: Final = register(
    Reason(
        "no_cluster_matches",
        label="No cluster matches",
        reason_class=ReasonClass.CANNOT_RUN,
        headline="Cannot be placed: no ready cluster passes the filters that apply to the job.",
        advice="Change the filters of the job, or have the labels of a cluster changed.",
    )
)
EXCEEDS_EVERY_NODE: Final = register(
    Reason(
        "exceeds_every_node",
        label="Exceeds every node",
        reason_class=ReasonClass.CANNOT_RUN,
        headline=(
            "Cannot be placed: one replica requests more than any node of a matching cluster "
            "offers."
        ),
        advice="Request less for each replica, or have a larger node added.",
        shortage=Shortage.ALWAYS,
    )
)


def _failed(context: ExplainContext) -> str:
    failure = _last(context).failure
    if failure is None:
        return "Waiting: a plugin of the scheduler failed."
    return f"Waiting: the plugin {failure.plugin} failed. {failure.sentence}"


def _removed(context: ExplainContext) -> str:
    by_plugin = [each for each in _last(context).clusters if each.stage is ClusterStage.PLUGIN]
    if not by_plugin:
        return "Waiting: plugins of the scheduler remove every cluster that has room."
    first = by_plugin[0]
    said = next((each.sentence for each in first.said if each.plugin == first.plugin), "")
    return f"Waiting: the plugin {first.plugin} removes {first.cluster}. {said}".rstrip()


PLUGIN_FAILED: Final = register(
    Reason(
        "plugin_failed",
        label="Plugin failed",
        reason_class=ReasonClass.WAITING,
        headline=_failed,
        advice="Report it to the people who maintain the plugin, or remove it from the config.",
    )
)
REMOVED_BY_PLUGIN: Final = register(
    Reason(
        "removed_by_plugin",
        label="Removed by a plugin",
        reason_class=ReasonClass.WAITING,
        headline=_removed,
        advice="Read what the plugin says about each cluster, and change the job accordingly.",
    )
)


def _not_placeable(context: ExplainContext) -> str:
    failure = _last(context).failure
    if failure is None:
        return "Rejected: no placement was possible on arrival, and the config rejects such jobs."
    return (
        f"Rejected: the plugin {failure.plugin} failed on arrival, and the config rejects jobs "
        f"without a placement. {failure.sentence}"
    )


NOT_PLACEABLE: Final = register(
    Reason(
        "not_placeable",
        label="Not placeable",
        reason_class=ReasonClass.REJECTED,
        headline=_not_placeable,
        advice="Submit it again later, or have on_unplaceable set to wait.",
        depends_on_capacity=True,
    )
)


def _invalid(context: ExplainContext) -> str:
    problem = facts_of(context.trace).problem
    return f"Rejected: {problem}" if problem else "Rejected: its placement is not valid."


INVALID_PLACEMENT: Final = register(
    Reason(
        "invalid_placement",
        label="Invalid placement",
        reason_class=ReasonClass.REJECTED,
        headline=_invalid,
        advice="Correct the placement and submit the job again.",
    )
)
