"""Random worlds of queues, users, nodes and workloads: promises that every settled state keeps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.hierarchy.live_partition import LivePartition
from console.engine.disciplines.hierarchy.live_world import LiveWorld, world_of
from console.engine.disciplines.hierarchy.spec import Limit, Template, hierarchy_of
from console.engine.model.decision import Decision, Outcome
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.model.workload import Workload
from tests.engine.hierarchy.builders import rule
from tests.engine.hierarchy.live import (
    cores,
    inventory,
    limit,
    policy,
    queue_of,
    workload,
)
from tests.engine.pod_worlds import CLUSTER, PodWorld, placed
from tests.engine.strategies import worlds

_TOPS = ("a", "b", "c")
_USERS = ("ann", "bob", "cid")

#: Queues that the first rule creates; some are below others.
_CREATED = ("users.ann", "users.ann.x", "users.new.y")

_sizes = st.lists(st.sampled_from((2, 4, 8)), min_size=1, max_size=3)
_guarantees = st.sampled_from((None, 1, 2, 4, 4))
_maxima = st.sampled_from((None, None, None, 4, 6, 8))
_properties = st.fixed_dictionaries(
    {},
    optional={
        "preemption.delay": st.just("1s"),
        "application.sort.policy": st.sampled_from(("fifo", "fifo", "fair")),
        "priority.offset": st.sampled_from(("1", "-1")),
        "preemption.policy": st.sampled_from(("fence", "disabled")),
        "quota.preemption.delay": st.just("5s"),
    },
)


class _World(PodWorld):
    """A world of queues below three at the top, and of queues for users that a rule creates."""

    longest_pause = 40_000
    pauses_often = True

    def settings(self) -> Policy:
        """Return queues with random amounts, limits and properties."""
        queues: dict[str, dict[str, Any]] = {}
        self.leaves = []
        for top in _TOPS[: self.draw(st.integers(1, 3))]:
            queues[top] = self._queue()
            below = [f"{top}.{name}" for name in "xy"[: self.draw(st.integers(0, 2))]]
            queues |= {name: self._queue() for name in below}
            self.leaves += below or [top]
        template = Template(
            maximum=cores(self.draw(st.sampled_from((None, 2)))),
            applications=self.draw(st.sampled_from((0, 1))),
        )
        queues["users"] = {"is_leaf": False, "template": template}
        by_user = rule("user", creates=True, parent=rule("fixed", "root.users"))
        return policy(
            queues,
            rules=(rule("provided", creates=True), by_user),
            preempts_over_maximum=self.draw(st.booleans()),
        )

    def _queue(self) -> dict[str, Any]:
        limits: list[Limit] = []
        if self.draw(st.integers(0, 2)) == 0:
            maximum = self.draw(st.sampled_from((None, 2, 4)))
            applications = self.draw(st.sampled_from((0, 1, 2)))
            if maximum is not None or applications:
                limits.append(
                    limit(
                        users=(self.draw(st.sampled_from(("ann", "bob", "*"))),),
                        maximum=maximum,
                        applications=applications,
                    )
                )
        return {
            "guaranteed": self.draw(_guarantees),
            "maximum": self.draw(_maxima),
            "applications": self.draw(st.sampled_from((0, 0, 0, 2))),
            "properties": self.draw(_properties),
            "limits": tuple(limits),
        }

    def offered(self) -> Inventory:
        """Return nodes with up to eight cores, of a cluster that may be unready or lost."""
        nodes = inventory(*self.draw(_sizes))
        condition = self.draw(st.integers(0, 39))
        cluster = replace(
            nodes.clusters[CLUSTER], is_ready=condition != 0, has_failed=condition == 1
        )
        return Inventory(clusters={CLUSTER: cluster})

    def created(self, name: str, sequence: int) -> Workload:
        """Return a workload of up to four pods, some of them gangs."""
        count = self.draw(st.sampled_from((1, 1, 2, 3, 4)))
        return workload(
            name,
            sequence,
            self.draw(st.sampled_from((*self.leaves, *self.leaves, "", *_CREATED))),
            cpu=self.draw(st.sampled_from((1, 1, 2, 3))),
            count=count,
            min_count=self.draw(st.sampled_from((None, None, None, count, 1))),
            user=self.draw(st.sampled_from(_USERS)),
            node=self.draw(st.sampled_from(("", "", "", "", "n0", "n1"))),
            groups=self.draw(st.sampled_from(((), ("dev",), ("ops", "dev")))),
            priority=self.draw(st.sampled_from((None, 0, 0, 1, -1))),
            is_preemptible=self.draw(st.sampled_from((None, None, None, False))),
            pending_since=self.rows.now,
        )

    def check(self, decisions: list[Decision]) -> None:
        """Check maxima, limits, nodes and gangs, and that the world counts as a new one does."""
        self._respects_queues(decisions)
        self._respects_limits(decisions)
        self._respects_nodes(decisions)
        self._starts_whole_gangs(decisions)
        _counts_as_a_new_one(self)

    def _path(self, name: str) -> Iterator[str]:
        yield name
        yield from hierarchy_of(self.policy).path(name)

    def _is_created_parent(self, name: str) -> bool:
        """Return whether a queue is no leaf, because workloads are in created ones below."""
        workloads = (*self.state.running, *self.state.pending)
        queues = (self.state.queue_of(uid) or "" for uid in workloads)
        return name not in self.policy.queues and any(
            each.startswith(f"{name}.") for each in queues
        )

    def _used(self, *, stopping: bool) -> Counter[str]:
        """Return the cores that pods on existing nodes use, by queue, with those above it."""
        used: Counter[str] = Counter()
        for running in self.state.running.values():
            assert running.queue is not None
            for pod_set, place in placed(running.workload, running.assignment, stopping=stopping):
                if place.node in self.node_names():
                    for name in self._path(running.queue):
                        used[name] += pod_set.requests["cpu"] * place.count
        return used

    def _respects_queues(self, decisions: Iterable[Decision]) -> None:
        """
        Check maxima and numbers of applications where pods have started.

        A config that was changed may leave more than it allows, but nothing starts there.
        """
        used = self._used(stopping=True)
        running: Counter[str] = Counter()
        for each in self.state.running.values():
            if not each.evicting:
                running.update(self._path(each.queue or ""))
        for decision, _, _ in self.started(decisions):
            queue = self.rows.rows[decision.workload].queue
            assert queue is not None
            for name in self._path(queue):
                if self._is_created_parent(name):
                    continue
                settings = queue_of(self.policy, name)
                if settings.maximum is not None:
                    assert used[name] <= settings.maximum["vcore"]
                if settings.applications and decision.outcome is Outcome.ADMITTED:
                    assert running[name] <= settings.applications

    def _respects_limits(self, decisions: Iterable[Decision]) -> None:
        """Check limits of users where their pods have started."""
        used: defaultdict[tuple[str, str], int] = defaultdict(int)
        for running in self.state.running.values():
            assert running.queue is not None
            for pod_set, place in placed(running.workload, running.assignment, stopping=True):
                if place.node in self.node_names():
                    for name in self._path(running.queue):
                        key = name, running.workload.user
                        used[key] += pod_set.requests["cpu"] * place.count
        for decision, _, _ in self.started(decisions):
            row = self.rows.rows[decision.workload]
            assert row.queue is not None
            for name in self._path(row.queue):
                for each in queue_of(self.policy, name).limits:
                    is_named = row.workload.user in each.users
                    if each.resources is not None and (is_named or "*" in each.users):
                        assert used[name, row.workload.user] <= each.resources["vcore"]

    def _respects_nodes(self, decisions: Iterable[Decision]) -> None:
        """Check that what nodes offer is enough where pods have started."""
        used: Counter[str | None] = Counter()
        for running in self.state.running.values():
            for pod_set, place in placed(running.workload, running.assignment, stopping=True):
                assert place.cluster == CLUSTER
                used[place.node] += pod_set.requests["cpu"] * place.count
        offered = {each.name: each.offered for each in self.nodes.clusters[CLUSTER].nodes}
        for _, _, place in self.started(decisions):
            assert self.nodes.clusters[CLUSTER].is_ready
            assert place.node is not None
            assert used[place.node] <= offered[place.node]["cpu"]

    def _starts_whole_gangs(self, decisions: Iterable[Decision]) -> None:
        """Check that gangs start with their minimum before its time has passed."""
        for decision in decisions:
            if decision.outcome is Outcome.ADMITTED:
                (pod_set,) = self.rows.rows[decision.workload].workload.pod_sets
                (assigned,) = decision.assignment
                since = self.rows.rows[decision.workload].workload.pending_since
                if pod_set.min_count is not None and self.rows.now < since + 900_000:
                    assert assigned.count >= pod_set.min_count


def _counts_as_a_new_one(world: _World) -> None:
    """Check that the world kept between cycles counts as one that is made anew."""
    kept, new = world_of(world.state), LiveWorld(world.state)
    new.take_over(world.state)
    assert _counted(kept) == _counted(new)


def _counted(world: LiveWorld) -> object:
    return {name: _counted_in(partition) for name, partition in world.partitions.items()}


def _counted_in(partition: LivePartition) -> object:
    queues = {
        path: (
            _without_zeros(usage.allocated),
            _without_zeros(usage.pending),
            _without_zeros(usage.preempting),
            usage.running,
            usage.priority,
        )
        for path, usage in partition.usages.items()
        if _without_zeros(usage.allocated) or _without_zeros(usage.pending) or usage.running
    }
    nodes = {each.name: _without_zeros(each.allocated) for each in partition.scheduler.nodes}
    users = {
        (user, path): (_without_zeros(usage.resources), frozenset(usage.applications))
        for user, usages in partition.users.users.items()
        for path, usage in usages.items()
        if _without_zeros(usage.resources) or usage.applications
    }
    return queues, nodes, users


def _without_zeros(amounts: Mapping[str, int]) -> dict[str, int]:
    return {name: amount for name, amount in amounts.items() if amount}


@worlds(60)
@given(draw=st.data())
def test_every_settled_state_keeps_the_promises(draw: st.DataObject) -> None:
    _World(draw.draw).run()
