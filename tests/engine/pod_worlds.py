"""
Random worlds of disciplines that grant pods on nodes: promises that every settled state keeps.

A discipline's tests say what a world has: its configs, nodes and workloads, and further promises.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from hypothesis import note
from hypothesis import strategies as st

from console.engine.explain import explain
from console.engine.live.pod_changes import PodGroup
from console.engine.model.decision import Assignment, Decision, Outcome, Place
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from console.engine.state import State
from tests.engine.rows import Rows

CLUSTER = "c"
#: Milliseconds after which the pods of a gang may start one by one, in languages that allow it.
_GANG_TIMEOUT = 16 * 60_000
#: More than any settle of such small worlds decides.
_MOST_SETTLES = 2_000


class PodWorld(ABC):
    """A state under random events, a second one that has the same, and the rows of both."""

    #: The longest time that passes at once, in the unit of `State.advance`.
    longest_pause = 60
    #: Whether time passes as often as workloads arrive, because much depends on it.
    pauses_often = False

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.policy = self.settings()
        self.rows = Rows()
        self.state = State(self.policy)
        #: Restored from rows some time ago; it has had the same facts since.
        self.twin: State | None = None
        self.nodes = Inventory()
        self._number = 0
        self._change_nodes()

    @abstractmethod
    def settings(self) -> Policy:
        """Return a random policy."""

    @abstractmethod
    def offered(self) -> Inventory:
        """Return random nodes of the cluster `CLUSTER`."""

    @abstractmethod
    def created(self, name: str, sequence: int) -> Workload:
        """Return a random workload."""

    @abstractmethod
    def check(self, decisions: list[Decision]) -> None:
        """Check the promises of the discipline after *decisions*."""

    @property
    def _states(self) -> Iterator[State]:
        yield self.state
        if self.twin is not None:
            yield self.twin

    def step(self) -> None:
        """Apply one random event."""
        running, evicting = sorted(self.state.running), sorted(self.state.evicting)
        match self.draw(st.integers(0, 29)):
            case 0:
                note("other policy")
                self.policy = self.settings()
                self.rows.version += 1
                for state in self._states:
                    state.change_policy(self.policy)
            case 1:
                self._change_nodes()
            case 2:
                self._hold_or_resume(self.draw(st.sampled_from(sorted(self.policy.queues))))
            case 3 | 4:
                self._pause()
            case 17 | 18 | 19 | 20 | 21 if self.pauses_often:
                self._pause()
            case 5 | 6 | 7 | 8 if self.rows.rows:
                self._finish(self.draw(st.sampled_from(sorted(self.rows.rows))))
            case 9 | 10 | 11 | 12 | 13 if evicting:
                self._release(self.draw(st.sampled_from(evicting)))
            case 14 | 15 | 16 if running:
                self._end_pods(self.draw(st.sampled_from(running)))
            case 22 | 23 if self.rows.rows:
                self._change_priority(self.draw(st.sampled_from(sorted(self.rows.rows))))
            case 24 if self.rows.rows:
                self._deactivate_or_activate(self.draw(st.sampled_from(sorted(self.rows.rows))))
            case _:
                self._submit()

    def _pause(self) -> None:
        self.rows.now += self.draw(st.integers(1, self.longest_pause))
        for state in self._states:
            state.advance(self.rows.now)

    def _change_nodes(self) -> None:
        note("other nodes")
        self.nodes = self.offered()
        for state in self._states:
            state.change_inventory(self.nodes)

    def _hold_or_resume(self, name: str) -> None:
        is_held = name in self.rows.held
        note(f"{'resume' if is_held else 'hold'} {name}")
        for state in self._states:
            (state.resume if is_held else state.hold)(name)
        self.rows.held ^= {name}

    def _deactivate_or_activate(self, name: str) -> None:
        is_active = self.rows.rows[name].workload.inactive is None
        note(f"{'deactivate' if is_active else 'activate'} {name}")
        for state in self._states:
            assert (state.deactivate if is_active else state.activate)(name)
        (self.rows.deactivate if is_active else self.rows.activate)(name)

    def _change_priority(self, name: str) -> None:
        priority = self.draw(st.integers(-1, 2))
        changed = [state.change_priority(name, priority) for state in self._states]
        note(f"change the priority of {name} to {priority}: {changed}")
        assert len(set(changed)) == 1
        if changed[0]:
            self.rows.change_priority(name, priority)

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
        pod_set, place = self.draw(st.sampled_from(places))
        pods = PodGroup(
            pod_set=pod_set,
            count=self.draw(st.integers(1, 2)),
            cluster=place.cluster,
            node=place.node,
            devices=place.devices,
        )
        finishes = self.draw(st.booleans())
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
        created = self.created(f"w{self._number}", self._number)
        note(f"submit {created}")
        for state in self._states:
            state.submit(created)
        self.rows.submit(created)

    def settle(self) -> None:
        """Settle, and check the promises."""
        budget = self.draw(st.sampled_from((1, 2, 1_000_000)))
        decisions = _settle(self.state, budget)
        note(f"at {self.rows.now}: {_texts(decisions)}")
        if self.twin is not None:
            assert _facts(_settle(self.twin, budget)) == _facts(decisions)
            assert _contents(self.twin) == _contents(self.state)
        self.rows.note(decisions)
        assert _texts(self.state.settle()) == []
        self._counts_usage()
        self.check(decisions)
        _explains(decisions, self.state)
        self._judges_feasibility()

    def _judges_feasibility(self) -> None:
        """Check that workloads that can never start are those that do not start alone."""
        for queue in self.state.queues.values():
            if queue.barrier is not None:
                continue
            for cls in queue.pending.classes.values():
                head, verdict = cls.head, cls.verdict
                assert verdict is not None
                is_known = head.route.problem is None and head.workload.inactive is None
                if is_known and len(head.workload.pod_sets) == 1:
                    starts = self._starts_alone(head.workload)
                    assert starts is not verdict.reason.cannot_run, verdict.reason
                elif is_known and verdict.reason.cannot_run:
                    # Different pods may exceed the nodes without being found.
                    assert not self._starts_alone(head.workload)

    def _starts_alone(self, workload: Workload) -> bool:
        """Return whether a workload starts some time if nothing else does and no node is lost."""
        cluster = replace(self.nodes.clusters[CLUSTER], is_ready=True, has_failed=False)
        state = State(self.policy, now=self.rows.now)
        state.change_inventory(Inventory(clusters={CLUSTER: cluster}))
        state.submit(workload)
        state.settle()
        # After this time, no pods have to start together.
        state.advance(self.rows.now + _GANG_TIMEOUT)
        state.settle()
        return workload.id in state.running

    def _counts_usage(self) -> None:
        """Check that the usage of a queue is the sum of what its workloads hold."""
        held: dict[str, Counter[tuple[str, str]]] = {}
        for running in self.state.running.values():
            assert running.queue is not None
            for pod_set, place in placed(running.workload, running.assignment, stopping=True):
                for resource, amount in pod_set.requests.items():
                    used = held.setdefault(running.queue, Counter())
                    used["pool", resource] += amount * place.count
        names = {*self.state.queues, *held}
        found = {name: Counter(self.state.usage(name)) for name in sorted(names)}
        assert {name: used for name, used in found.items() if used} == held

    def node_names(self) -> set[str]:
        """Return the nodes that exist."""
        cluster = self.nodes.clusters[CLUSTER]
        return set() if cluster.has_failed else {each.name for each in cluster.nodes}

    def started(self, decisions: Iterable[Decision]) -> Iterator[tuple[Decision, PodSet, Place]]:
        """Yield the pods that have started."""
        for decision in decisions:
            if decision.outcome is Outcome.ADMITTED:
                workload = self.rows.rows[decision.workload].workload
                for pod_set, place in placed(workload, decision.assignment):
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

    def run(self) -> None:
        """Apply random events, and check the promises after some of them and at the end."""
        for _ in range(self.draw(st.integers(5, 40))):
            self.step()
            if self.draw(st.integers(0, 2)):
                self.settle()
                if self.draw(st.integers(0, 3)) == 0:
                    self.rebuild()
        self.settle()
        self.rebuild()


def placed(
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


def _settle(state: State, budget: int) -> list[Decision]:
    """Settle in steps of *budget* decisions."""
    decisions = state.settle(budget)
    for _ in range(_MOST_SETTLES):
        if state.is_settled:
            return decisions
        decisions += state.settle(budget)
    raise AssertionError(f"not settled after {_texts(decisions[-20:])}")


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
