"""Random worlds of queues, nodes and workloads: promises that every settled state keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from hypothesis import given, note
from hypothesis import strategies as st

from console.engine.explain import explain
from console.engine.live.pod_changes import PodGroup
from console.engine.model.amounts import SCALE, UNLIMITED
from console.engine.model.decision import Assignment, Decision, Outcome, Place
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from console.engine.state import State
from tests.engine.fairshare.live import inventory, policy, queue, workload
from tests.engine.rows import Rows
from tests.engine.strategies import worlds

#: A queue may be below an earlier one, in up to three levels.
_QUEUES = ("a", "b", "c", "d", "e", "f")
_CLUSTER = "c"
#: More than any settle of such small worlds decides.
_MOST_SETTLES = 2_000

_quotas = st.sampled_from((0, 0, 1, 1, 2, 4, None))
_limits = st.sampled_from((None, None, None, None, None, 4))
_runtimes = st.sampled_from((None, None, None, 0, 50))
_sizes = st.lists(st.integers(1, 4), min_size=1, max_size=4)


class _World:
    """A state under random events, a second one that has the same, and the rows of both."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self.policy = self._settings()
        self.rows = Rows()
        self.state = State(self.policy)
        #: Restored from rows some time ago; it has had the same facts since.
        self.twin: State | None = None
        self.nodes = Inventory()
        self._number = 0
        self._change_nodes()

    @property
    def _states(self) -> Iterator[State]:
        yield self.state
        if self.twin is not None:
            yield self.twin

    def _settings(self) -> Policy:
        depth: dict[str, int] = {}
        queues = []
        for name in _QUEUES:
            above = [each for each in depth if depth[each] < 2]
            parent = self._draw(st.sampled_from((None, *above)))
            depth[name] = 0 if parent is None else depth[parent] + 1
            queues.append(
                queue(
                    name,
                    parent,
                    quota=self._draw(_quotas),
                    limit=self._draw(_limits),
                    weight=self._draw(st.sampled_from((0, 1, 1, 2))),
                    priority=self._draw(st.sampled_from((100, 100, 200))),
                    created=self._draw(st.integers(0, 2)),
                    preempt_min_runtime=self._draw(_runtimes),
                    reclaim_min_runtime=self._draw(_runtimes),
                )
            )
        return policy(queues, stale_grace=self._draw(st.sampled_from((-1, 30))))

    def step(self) -> None:
        """Apply one random event."""
        running, evicting = sorted(self.state.running), sorted(self.state.evicting)
        match self._draw(st.integers(0, 29)):
            case 0:
                note("other policy")
                self.policy = self._settings()
                self.rows.version += 1
                for state in self._states:
                    state.change_policy(self.policy)
            case 1:
                self._change_nodes()
            case 2:
                self._hold_or_resume(self._draw(st.sampled_from(_QUEUES)))
            case 3 | 4:
                self.rows.now += self._draw(st.integers(1, 60))
                for state in self._states:
                    state.advance(self.rows.now)
            case 5 | 6 | 7 | 8 if self.rows.rows:
                self._finish(self._draw(st.sampled_from(sorted(self.rows.rows))))
            case 9 | 10 | 11 | 12 | 13 if evicting:
                self._release(self._draw(st.sampled_from(evicting)))
            case 14 | 15 | 16 if running:
                self._end_pods(self._draw(st.sampled_from(running)))
            case _:
                self._submit()

    def _change_nodes(self) -> None:
        note("other nodes")
        self.nodes = inventory(*self._draw(_sizes), cpu=6)
        condition = self._draw(st.integers(0, 19))
        cluster = replace(
            self.nodes.clusters[_CLUSTER], is_ready=condition != 0, has_failed=condition == 1
        )
        self.nodes = Inventory(clusters={_CLUSTER: cluster})
        for state in self._states:
            state.change_inventory(self.nodes)

    def _hold_or_resume(self, name: str) -> None:
        is_held = name in self.rows.held
        note(f"{'resume' if is_held else 'hold'} {name}")
        for state in self._states:
            (state.resume if is_held else state.hold)(name)
        self.rows.held ^= {name}

    def _finish(self, name: str) -> None:
        note(f"finish {name}")
        finished = [state.finish(name) for state in self._states]
        assert all(finished)
        self.rows.end(name)

    def _release(self, name: str) -> None:
        note(f"release {name}")
        released = [state.release(name) for state in self._states]
        assert all(released)
        self.rows.release(name, self.state.pending[name].yields_to)

    def _end_pods(self, name: str) -> None:
        """Report that some pods have finished, or have stopped."""
        places = [
            (assigned.name, place)
            for assigned in self.state.running[name].assignment
            for place in (*assigned.places, *assigned.stopping)
        ]
        if not places:
            return
        pod_set, place = self._draw(st.sampled_from(places))
        pods = PodGroup(
            pod_set=pod_set,
            count=self._draw(st.integers(1, 2)),
            cluster=place.cluster,
            node=place.node,
            devices=place.devices,
        )
        finishes = self._draw(st.booleans())
        ended = {
            (state.finish_pods if finishes else state.release_pods)(name, pods)
            for state in self._states
        }
        note(f"{'finish' if finishes else 'release'} {name} {pods}: {ended}")
        assert len(ended) == 1
        if name in self.state.running:
            self.rows.change_pods(self.state.running[name])
        else:
            self.rows.end(name)

    def _submit(self) -> None:
        self._number += 1
        count = self._draw(st.integers(1, 3))
        created = workload(
            f"w{self._number}",
            self._number,
            self._draw(st.sampled_from((*self._leaves(), *self._leaves(), *_QUEUES[:1]))),
            gpu=self._draw(st.sampled_from((1, 1, 1, 2, 0.5, 0.3))),
            cpu=self._draw(st.sampled_from((0, 1))),
            count=count,
            min_count=self._draw(st.sampled_from((None, 1, count))),
            priority=self._draw(st.sampled_from((50, 50, 60, 75, 100))),
            is_preemptible=self._draw(st.sampled_from((None, None, None, True, False))),
        )
        if self._draw(st.integers(0, 3)) == 0:
            leader = PodSet(name="leader", requests={"cpu": SCALE})
            created = replace(created, pod_sets=(leader, *created.pod_sets))
        note(f"submit {created}")
        for state in self._states:
            state.submit(created)
        self.rows.submit(created)

    def settle(self) -> None:
        """Settle, and check the promises."""
        budget = self._draw(st.sampled_from((1, 2, 1_000_000)))
        decisions = _settle(self.state, budget)
        note(f"at {self.rows.now}: {_texts(decisions)}")
        if self.twin is not None:
            assert _facts(_settle(self.twin, budget)) == _facts(decisions)
            assert _contents(self.twin) == _contents(self.state)
        self.rows.note(decisions)
        assert _texts(self.state.settle()) == []
        self._counts_usage()
        self._respects_queues(decisions)
        self._respects_nodes(decisions)
        _starts_whole_gangs(decisions, self.rows)
        _explains(decisions, self.state)

    def _counts_usage(self) -> None:
        """Check that the usage of a queue is the sum of what its workloads hold."""
        held: dict[str, Counter[tuple[str, str]]] = {}
        for running in self.state.running.values():
            assert running.queue is not None
            for pod_set, place in _placed(running.workload, running.assignment, stopping=True):
                for resource, amount in pod_set.requests.items():
                    used = held.setdefault(running.queue, Counter())
                    used["pool", resource] += amount * place.count
        found = {name: Counter(self.state.usage(name)) for name in _QUEUES}
        assert {name: used for name, used in found.items() if used} == held

    def _respects_queues(self, decisions: Iterable[Decision]) -> None:
        """
        Check limits, and quotas for workloads that cannot be preempted, where pods have started.

        A config that was changed may leave more than it allows, but nothing starts there.
        """
        used: Counter[tuple[str, str, bool]] = Counter()
        for running in self.state.running.values():
            if running.evicting:
                continue
            assert running.queue is not None
            firm = _is_firm(running.workload, running.priority)
            for pod_set, place in _placed(running.workload, running.assignment):
                if place.node not in self._node_names():
                    continue
                for name in self._path(running.queue):
                    for resource, amount in pod_set.requests.items():
                        used[name, resource, False] += amount * place.count
                        used[name, resource, True] += amount * place.count * firm
        for decision, pod_set, _ in self._started(decisions):
            row = self.rows.rows[decision.workload]
            assert row.queue is not None
            for name in self._path(row.queue):
                queue = self.policy.spec.queues[name]
                if "gpu" not in pod_set.requests:
                    continue
                assert queue.limit.gpu == UNLIMITED or used[name, "gpu", False] <= queue.limit.gpu
                if _is_firm(row.workload, row.priority or 0):
                    quota = queue.quota.gpu
                    assert quota == UNLIMITED or used[name, "gpu", True] <= quota

    def _leaves(self) -> list[str]:
        parents = {each.parent for each in self.policy.spec.queues.values()}
        return [name for name in _QUEUES if name not in parents]

    def _path(self, name: str) -> Iterator[str]:
        """Yield a queue and those above it."""
        above: str | None = name
        while above is not None:
            yield above
            above = self.policy.spec.queues[above].parent

    def _node_names(self) -> set[str]:
        cluster = self.nodes.clusters[_CLUSTER]
        return set() if cluster.has_failed else {each.name for each in cluster.nodes}

    def _respects_nodes(self, decisions: Iterable[Decision]) -> None:
        """Check that what nodes offer, and each of their devices, is enough where pods started."""
        cpus: Counter[str] = Counter()
        whole: Counter[str] = Counter()
        shared: Counter[tuple[str, int]] = Counter()
        for running in self.state.running.values():
            for pod_set, place in _placed(running.workload, running.assignment, stopping=True):
                assert place.cluster == _CLUSTER
                assert place.node is not None
                gpu = pod_set.requests.get("gpu", 0)
                cpus[place.node] += pod_set.requests.get("cpu", 0) * place.count
                if gpu % SCALE:
                    assert len(place.devices) == 1
                    for device in place.devices:
                        shared[place.node, device] += gpu * place.count
                else:
                    assert place.devices == ()
                    whole[place.node] += gpu // SCALE * place.count
        offered = {each.name: each.offered for each in self.nodes.clusters[_CLUSTER].nodes}
        for node in {place.node for _, _, place in self._started(decisions)}:
            devices = {device for name, device in shared if name == node}
            assert self.nodes.clusters[_CLUSTER].is_ready
            assert cpus[node] <= offered[node]["cpu"]
            assert whole[node] + len(devices) <= offered[node]["gpu"] // SCALE
            assert all(shared[node, device] <= SCALE for device in devices)

    def _started(self, decisions: Iterable[Decision]) -> Iterator[tuple[Decision, PodSet, Place]]:
        """Yield the pods that have started."""
        for decision in decisions:
            if decision.outcome is Outcome.ADMITTED:
                workload = self.rows.rows[decision.workload].workload
                for pod_set, place in _placed(workload, decision.assignment):
                    yield decision, pod_set, place
            elif decision.resize is not None:
                workload = self.rows.rows[decision.workload].workload
                by_name = {each.name: each for each in workload.pod_sets}
                for pods in decision.resize.granted:
                    yield decision, by_name[pods.pod_set], pods.place

    def rebuild(self) -> None:
        """
        Restore a state from rows: it has the same contents, and decides nothing.

        From now on it gets the same facts, and has to decide the same.
        """
        again = self.rows.load(self.policy, self.nodes)
        assert _texts(again.settle()) == []
        assert _contents(again) == _contents(self.state)
        self.twin = again


def _settle(state: State, budget: int) -> list[Decision]:
    """Settle in steps of *budget* decisions."""
    decisions = state.settle(budget)
    for _ in range(_MOST_SETTLES):
        if state.is_settled:
            return decisions
        decisions += state.settle(budget)
    raise AssertionError(f"not settled after {_texts(decisions[-20:])}")


def _placed(
    workload: Workload, assignment: Assignment, *, stopping: bool = False
) -> Iterator[tuple[PodSet, Place]]:
    """Yield the places of the pods of a workload, with *stopping* also of those that stop."""
    by_name = {each.name: each for each in workload.pod_sets}
    for assigned in assignment:
        for place in assigned.places:
            yield by_name[assigned.name], place
        if stopping:
            for place in assigned.stopping:
                yield by_name[assigned.name], place


def _is_firm(workload: Workload, priority: int) -> bool:
    """Return whether a workload cannot be preempted."""
    if workload.is_preemptible is not None:
        return not workload.is_preemptible
    return priority >= 100


def _starts_whole_gangs(decisions: Iterable[Decision], rows: Rows) -> None:
    """Check that each pod set starts with at least its minimum."""
    for decision in decisions:
        if decision.outcome is Outcome.ADMITTED:
            counts = {each.name: each.count for each in decision.assignment}
            for pod_set in rows.rows[decision.workload].workload.pod_sets:
                least = pod_set.count if pod_set.min_count is None else pod_set.min_count
                assert counts[pod_set.name] >= least


def _explains(decisions: Iterable[Decision], state: State) -> None:
    """Check that every decision, and every pending workload, has an explanation."""
    for decision in decisions:
        told = explain(decision.trace)
        assert told.reason is decision.reason
        assert told.headline.endswith(".")
    for uid in state.pending:
        trace = state.explain(uid)
        assert trace.outcome.outcome is Outcome.PENDING
        assert explain(trace).headline.endswith(".")


def _texts(decisions: Iterable[Decision]) -> list[str]:
    return [f"{each.workload}: {each.outcome} ({each.reason})" for each in decisions]


def _facts(decisions: Iterable[Decision]) -> list[object]:
    """
    Return everything in decisions that a database stores, by workload.

    Workloads that start in the same cycle may have another order in a restored state.
    """
    return [
        (
            each.workload,
            each.outcome,
            str(each.reason),
            each.queue,
            each.priority,
            each.assignment,
            each.victims,
            each.preemptor,
            each.started,
            each.short_since,
            each.resize,
        )
        for each in sorted(decisions, key=lambda each: each.workload)
    ]


def _contents(state: State) -> object:
    """Return the workloads of a state: the pending ones, and the running ones with their places."""
    return set(state.pending), {
        name: (
            running.queue,
            running.priority,
            running.assignment,
            running.evicting,
            running.started,
            running.short_since,
            running.workload,
        )
        for name, running in state.running.items()
    }


@worlds(60)
@given(draw=st.data())
def test_every_settled_state_keeps_the_promises(draw: st.DataObject) -> None:
    world = _World(draw.draw)
    for _ in range(draw.draw(st.integers(5, 40))):
        world.step()
        if draw.draw(st.integers(0, 2)):
            world.settle()
            if draw.draw(st.integers(0, 3)) == 0:
                world.rebuild()
    world.settle()
    world.rebuild()
