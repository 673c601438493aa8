"""Random worlds of queues, nodes and workloads: promises that every settled state keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from console.engine.model.amounts import SCALE, UNLIMITED
from console.engine.model.decision import Decision, Outcome
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from tests.engine.fairshare.live import inventory, policy, queue, workload
from tests.engine.pod_worlds import CLUSTER, PodWorld, placed
from tests.engine.rows import Rows
from tests.engine.strategies import worlds

#: A queue may be below an earlier one, in up to three levels.
_QUEUES = ("a", "b", "c", "d", "e", "f")

_quotas = st.sampled_from((0, 0, 1, 1, 2, 4, None))
_limits = st.sampled_from((None, None, None, None, None, 4))
_runtimes = st.sampled_from((None, None, None, 0, 50))
_sizes = st.lists(st.integers(1, 4), min_size=1, max_size=4)


class _World(PodWorld):
    """A world of queues that share GPUs."""

    def settings(self) -> Policy:
        """Return queues with random numbers."""
        depth: dict[str, int] = {}
        queues = []
        for name in _QUEUES:
            above = [each for each in depth if depth[each] < 2]
            parent = self.draw(st.sampled_from((None, *above)))
            depth[name] = 0 if parent is None else depth[parent] + 1
            queues.append(
                queue(
                    name,
                    parent,
                    quota=self.draw(_quotas),
                    limit=self.draw(_limits),
                    weight=self.draw(st.sampled_from((0, 1, 1, 2))),
                    priority=self.draw(st.sampled_from((100, 100, 200))),
                    created=self.draw(st.integers(0, 2)),
                    preempt_min_runtime=self.draw(_runtimes),
                    reclaim_min_runtime=self.draw(_runtimes),
                )
            )
        return policy(queues, stale_grace=self.draw(st.sampled_from((-1, 30))))

    def offered(self) -> Inventory:
        """Return nodes with up to four GPUs, of a cluster that may be unready or lost."""
        nodes = inventory(*self.draw(_sizes), cpu=6)
        condition = self.draw(st.integers(0, 19))
        cluster = replace(
            nodes.clusters[CLUSTER], is_ready=condition != 0, has_failed=condition == 1
        )
        return Inventory(clusters={CLUSTER: cluster})

    def created(self, name: str, sequence: int) -> Workload:
        """Return a workload of up to three pods with a GPU or parts of one."""
        count = self.draw(st.integers(1, 3))
        created = workload(
            name,
            sequence,
            self.draw(st.sampled_from((*self._leaves(), *self._leaves(), *_QUEUES[:1]))),
            gpu=self.draw(st.sampled_from((1, 1, 1, 2, 0.5, 0.3))),
            cpu=self.draw(st.sampled_from((0, 1))),
            count=count,
            min_count=self.draw(st.sampled_from((None, 1, count))),
            priority=self.draw(st.sampled_from((50, 50, 60, 75, 100))),
            is_preemptible=self.draw(st.sampled_from((None, None, None, True, False))),
        )
        if self.draw(st.integers(0, 3)):
            return created
        leader = PodSet(name="leader", requests={"cpu": SCALE})
        return replace(created, pod_sets=(leader, *created.pod_sets))

    def check(self, decisions: list[Decision]) -> None:
        """Check limits, quotas, nodes, devices and gangs."""
        self._respects_queues(decisions)
        self._respects_nodes(decisions)
        _starts_whole_gangs(decisions, self.rows)

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
            for pod_set, place in placed(running.workload, running.assignment):
                if place.node not in self.node_names():
                    continue
                for name in self._path(running.queue):
                    for resource, amount in pod_set.requests.items():
                        used[name, resource, False] += amount * place.count
                        used[name, resource, True] += amount * place.count * firm
        for decision, pod_set, _ in self.started(decisions):
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

    def _respects_nodes(self, decisions: Iterable[Decision]) -> None:
        """Check that what nodes offer, and each of their devices, is enough where pods started."""
        cpus: Counter[str] = Counter()
        whole: Counter[str] = Counter()
        shared: Counter[tuple[str, int]] = Counter()
        for running in self.state.running.values():
            for pod_set, place in placed(running.workload, running.assignment, stopping=True):
                assert place.cluster == CLUSTER
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
        offered = {each.name: each.offered for each in self.nodes.clusters[CLUSTER].nodes}
        for node in {place.node for _, _, place in self.started(decisions)}:
            devices = {device for name, device in shared if name == node}
            assert self.nodes.clusters[CLUSTER].is_ready
            assert cpus[node] <= offered[node]["cpu"]
            assert whole[node] + len(devices) <= offered[node]["gpu"] // SCALE
            assert all(shared[node, device] <= SCALE for device in devices)


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


@worlds(60)
@given(draw=st.data())
def test_every_settled_state_keeps_the_promises(draw: st.DataObject) -> None:
    _World(draw.draw).run()
