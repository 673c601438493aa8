"""Random worlds of clusters and jobs: the engine decides as the reference model does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hypothesis import given, note
from hypothesis import strategies as st

from console.engine.disciplines.placement.reasons import REPLICAS_LOST
from console.engine.disciplines.placement.spec import (
    AFFINITY_PLUGIN,
    DEFAULT_PLUGIN,
    QUEUE,
    STANDARD_PLUGINS,
    OnUnplaceable,
    PluginUse,
    Rank,
    Reserve,
    placement_of,
)
from console.engine.explain import explain
from console.engine.live.pod_changes import PodGroup, after_finish
from console.engine.model.decision import Decision, Outcome, Place
from console.engine.model.inventory import Cluster, Inventory
from console.engine.model.policy import Policy
from console.engine.model.workload import Workload
from console.engine.state import State
from tests.engine.placement.plugins import SAME, installed
from tests.engine.placement.reference import Free, Places, free_capacity, place
from tests.engine.placement.worlds import cluster, inventory, job, policy
from tests.engine.rows import Rows
from tests.engine.strategies import worlds

_CLUSTERS = ("a", "b", "c")
_VALUES = ("x", "y")

_labels = st.dictionaries(st.sampled_from(("one", "two")), st.sampled_from(_VALUES))
_nodes = st.lists(
    st.fixed_dictionaries(
        {"cpu": st.integers(0, 8)},
        optional={
            "memory": st.integers(0, 8),
            "A100": st.integers(0, 4),
            "gpus": st.integers(0, 4),
        },
    ),
    max_size=3,
)
_criterion = st.fixed_dictionaries(
    {
        "match_labels": _labels,
        "match_expressions": st.lists(
            st.fixed_dictionaries(
                {
                    "key": st.sampled_from(("one", "two")),
                    "operator": st.sampled_from(("In", "NotIn")),
                    "values": st.lists(st.sampled_from(_VALUES), max_size=2, unique=True),
                }
            ),
            min_size=1,
            max_size=2,
        ),
    }
)
_placement = st.none() | st.fixed_dictionaries(
    {
        "filters": st.lists(_criterion, max_size=2),
        "preferences": st.lists(
            st.tuples(_criterion, st.integers(1, 100)).map(lambda p: {**p[0], "weight": p[1]}),
            max_size=2,
        ),
    }
)


def _named(placement: dict[str, list[dict[str, object]]] | None) -> dict[str, object] | None:
    """Return *placement* with names for its filters and preferences."""
    if placement is None:
        return None
    return {
        kind: [{"name": f"n{number}", **each} for number, each in enumerate(some)]
        for kind, some in placement.items()
    }


@dataclass
class _Job:
    """A running job of the model: its replicas by cluster and node."""

    workload: Workload
    places: Counter[tuple[str, str]]
    stopping: Counter[tuple[str, str]]
    #: Number of replicas without a place, or in a lost one, at the last settle.
    lacks: int = 0

    @property
    def replicas(self) -> int:
        """Number of replicas that have not finished."""
        return self.workload.pod_sets[0].count

    @property
    def all_places(self) -> Places:
        """The places of all replicas, stopping ones included."""
        return [(*key, count) for key, count in (self.places + self.stopping).items()]

    def add(self, places: Places) -> None:
        """Add replicas."""
        for cluster_name, node, count in places:
            self.places[cluster_name, node] += count


class _World:
    """An engine state under random events, the rows that a database would store, and the model."""

    def __init__(self, draw: st.DrawFn, pipelines: Sequence[Sequence[str]] = ()) -> None:
        """Create a world; its config lists one of *pipelines* of plugins, or the standard ones."""
        self._draw = draw
        self._pipelines = pipelines
        self.inventory = Inventory()
        self.policy = self._settings()
        self.state, self.rows = State(self.policy), Rows()
        self._number = 0
        self._running: dict[str, _Job] = {}
        self._waiting: dict[str, Workload] = {}

    def _settings(self) -> Policy:
        names = self._draw(st.sampled_from(self._pipelines)) if self._pipelines else ()
        plugins = tuple(PluginUse(name=each) for each in names) or STANDARD_PLUGINS
        # The score of a plugin cannot be a pair.
        ranks = [Rank.PRODUCT] if "same-default" in names else [*Rank]
        return policy(
            plugins=plugins,
            rank=self._draw(st.sampled_from(ranks)),
            reserve=self._draw(st.sampled_from(Reserve)),
            on_unplaceable=self._draw(
                st.sampled_from((OnUnplaceable.WAIT, OnUnplaceable.WAIT, OnUnplaceable.FAIL))
            ),
        )

    def step(self) -> None:
        """Apply one random event."""
        match self._draw(st.integers(0, 17)):
            case 0:
                self.policy = self._settings()
                self.state.change_policy(self.policy)
                self.rows.version += 1
            case 1 | 2 | 3:
                self._change_cluster()
            case 4 | 5 | 6 | 7 if self.rows.rows:
                name = self._draw(st.sampled_from(sorted(self.rows.rows)))
                assert self.state.finish(name)
                self.rows.end(name)
                self._running.pop(name, None)
                self._waiting.pop(name, None)
            case 8 | 9 | 10 if self._running:
                self._end_pods()
            case 11:
                self.rows.now += self._draw(st.integers(1, 9))
                self.state.advance(self.rows.now)
            case _:
                self._submit()

    def _end_pods(self) -> None:
        """Report that some replicas have finished, or were stopped."""
        name = self._draw(st.sampled_from(sorted(self._running)))
        found = self._running[name]
        of_place = found.all_places
        if not of_place:
            return
        cluster_name, node, _ = self._draw(st.sampled_from(of_place))
        key = cluster_name, node
        count = self._draw(st.integers(1, 3))
        pods = PodGroup(pod_set="main", count=count, cluster=cluster_name, node=node)
        if self._draw(st.booleans()):
            ended = min(count, found.places[key])
            assert self.state.finish_pods(name, pods) == ended
            found.places -= Counter({key: ended})
            found.workload = after_finish(found.workload, "main", ended)
            if not found.replicas:
                assert not self.state.has_workload(name)
                del self._running[name]
                self.rows.end(name)
                return
        else:
            stopped = min(count, found.stopping[key])
            lost = min(count - stopped, found.places[key])
            assert self.state.release_pods(name, pods) == stopped + lost
            found.stopping -= Counter({key: stopped})
            found.places -= Counter({key: lost})
        self.rows.change_pods(self.state.running[name])

    def _change_cluster(self) -> None:
        clusters: dict[str, Cluster] = dict(self.inventory.clusters)
        name = self._draw(st.sampled_from(_CLUSTERS))
        if name in clusters and self._draw(st.booleans()):
            del clusters[name]
        else:
            clusters[name] = cluster(
                name,
                *self._draw(_nodes),
                labels=self._draw(_labels),
                is_ready=self._draw(st.integers(0, 4)) > 0,
                has_failed=self._draw(st.integers(0, 5)) == 0,
            )
        self.inventory = inventory(clusters.values())
        self.state.change_inventory(self.inventory)

    def _submit(self) -> None:
        self._number += 1
        request = {"cpu": self._draw(st.integers(0, 4))}
        if self._draw(st.booleans()):
            request["memory"] = self._draw(st.integers(1, 3))
        if self._draw(st.integers(0, 2)) == 0:
            device = self._draw(st.sampled_from(("gpus", "nvidia.com/gpu", "A100", "T4")))
            request[device] = self._draw(st.integers(1, 2))
        workload = job(
            self._number,
            request,
            replicas=self._draw(st.integers(1, 4)),
            placement=_named(self._draw(_placement)),
        )
        self.state.submit(workload)
        self.rows.submit(workload)
        self._waiting[workload.id] = workload

    def settle(self) -> None:
        """Settle, and compare the decisions with those of the model."""
        budget = self._draw(st.sampled_from((1, 2, 1_000_000)))
        decisions = self.state.settle(budget)
        while not self.state.is_settled:
            decisions += self.state.settle(budget)
        self.rows.note(decisions)
        note(f"{self._waiting.keys()} waiting, {self._running.keys()} running")
        assert self._placed(decisions) == self._expected()
        assert self.state.pending.keys() == self._waiting.keys()
        self._compare_running()
        assert self.state.settle() == []
        self._counts_usage()
        for each in decisions:
            told = explain(each.trace)
            assert told.reason is each.reason
            assert told.headline.endswith(".")
        for uid, pending in self.state.pending.items():
            assert self.state.explain(uid).outcome.outcome is Outcome.PENDING
            verdict = self.state.queues[QUEUE].pending.classes[pending.class_key].verdict
            assert verdict is not None
            if verdict.reason.cannot_run:
                assert not self._starts_alone(pending.workload), verdict.reason
            elif not self._pipelines and all(
                each.nodes for each in self.inventory.clusters.values()
            ):
                # What installed plugins remove now, they may keep later.
                assert self._starts_alone(pending.workload), verdict.reason

    def _starts_alone(self, workload: Workload) -> bool:
        """Return whether a job is placed if nothing else runs and every cluster is ready."""
        if not self.inventory.clusters:
            # Nothing is known before the first report.
            return True
        state = State(self.policy)
        ready = (
            replace(each, is_ready=True, has_failed=False)
            for each in self.inventory.clusters.values()
        )
        state.change_inventory(inventory(ready))
        state.submit(workload)
        state.settle()
        return workload.id in state.running

    def _placed(self, decisions: list[Decision]) -> dict[str, Places | None]:
        return {
            each.workload: [
                (place.cluster or "", place.node or "", place.count)
                for assigned in each.assignment
                for place in assigned.places
            ]
            if each.outcome is Outcome.ADMITTED
            else None
            for each in decisions
            if each.outcome not in (Outcome.PENDING, Outcome.RESIZED)
        }

    def _expected(self) -> dict[str, Places | None]:
        """
        Return where jobs go: running ones with lost replicas first, then waiting ones.

        Each in the order of admission or arrival. None: a job is rejected.
        """
        self._replace_lost()
        spec = placement_of(self.policy)
        found: dict[str, Places | None] = {}
        for name, workload in list(self._waiting.items()):
            places = place(workload, self.inventory, self._free(), spec.rank)
            if places is not None:
                found[name] = places
                self._running[name] = _Job(workload, Counter(), Counter())
                self._running[name].add(places)
                del self._waiting[name]
            elif spec.on_unplaceable is OnUnplaceable.FAIL:
                found[name] = None
                del self._waiting[name]
        return found

    def _replace_lost(self) -> None:
        for each in self._running.values():
            lost = Counter({key: n for key, n in each.places.items() if self._is_lost(*key)})
            wanted = each.replicas - each.places.total() + lost.total()
            each.lacks = wanted
            if not wanted:
                continue
            rest = job(0, {}, replicas=wanted, placement=each.workload.placement)
            (pods,) = each.workload.pod_sets
            rest = replace(rest, pod_sets=(replace(pods, count=wanted),))
            places = place(rest, self.inventory, self._free(), placement_of(self.policy).rank)
            if places is not None:
                each.lacks = 0
                each.places -= lost
                each.stopping += lost
                each.add(places)

    def _is_lost(self, cluster: str, node: str) -> bool:
        found = self.inventory.clusters.get(cluster)
        return found is None or found.has_failed or node not in {each.name for each in found.nodes}

    def _free(self) -> Free:
        reserves = placement_of(self.policy).reserve is Reserve.IMMEDIATE
        running = [(each.workload, each.all_places) for each in self._running.values()]
        return free_capacity(self.inventory, running, reserves=reserves)

    def _compare_running(self) -> None:
        """Check the places of running jobs, and whether those without room say so."""
        assert self.state.running.keys() == self._running.keys()
        for name, expected in self._running.items():
            running = self.state.running[name]
            (assigned,) = running.assignment
            assert _counted(assigned.places) == expected.places
            assert _counted(assigned.stopping) == expected.stopping
            assert (running.reason is REPLICAS_LOST) == bool(expected.lacks)

    def _counts_usage(self) -> None:
        """Check that usage by node and by cluster is the sum of the running jobs."""
        by_node: dict[tuple[str, str], dict[str, int]] = {}
        by_cluster: dict[tuple[str, str], int] = {}
        for each in self._running.values():
            for name, node, count in each.all_places:
                for resource, amount in each.workload.pod_sets[0].requests.items():
                    if amount:
                        used = by_node.setdefault((name, node), {})
                        used[resource] = used.get(resource, 0) + amount * count
                        key = name, resource
                        by_cluster[key] = by_cluster.get(key, 0) + amount * count
        usage = self.state.node_usage
        assert {key: dict(usage.of(key)) for key in usage.nodes()} == by_node
        assert dict(self.state.usage(QUEUE)) == by_cluster

    def rebuild(self) -> None:
        """Continue with the state restored from rows, which must have nothing to decide."""
        again = self.rows.load(self.policy, self.inventory)
        assert again.settle() == []
        assert again.pending.keys() == self.state.pending.keys()
        before, self.state = _times(self.state), again
        assert _times(again) == before
        self._compare_running()


def _times(state: State) -> dict[str, tuple[int | None, int | None]]:
    return {name: (each.started, each.short_since) for name, each in state.running.items()}


def _counted(places: Iterable[Place]) -> Counter[tuple[str, str]]:
    return Counter({(each.cluster or "", each.node or ""): each.count for each in places})


@worlds(200)
@given(draw=st.data())
def test_engine_places_jobs_as_the_reference_model(draw: st.DataObject) -> None:
    _run(draw, _World(draw.draw))


_PIPELINES = (
    (DEFAULT_PLUGIN, "same-affinity"),
    (DEFAULT_PLUGIN, "same-affinity-by-labels"),
    ("same-default", AFFINITY_PLUGIN),
    ("same-default", "same-affinity"),
)


@worlds(150)
@given(draw=st.data())
def test_plugins_with_the_same_rules_give_the_same_decisions(draw: st.DataObject) -> None:
    with installed(SAME):
        _run(draw, _World(draw.draw, _PIPELINES))


def _run(draw: st.DataObject, world: _World) -> None:
    for _ in range(draw.draw(st.integers(1, 25))):
        world.step()
        if draw.draw(st.booleans()):
            world.settle()
            if draw.draw(st.integers(0, 3)) == 0:
                world.rebuild()
    world.settle()
