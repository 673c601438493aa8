"""A scheduler with a node pool uses only the nodes of the pool."""

from __future__ import annotations

import pytest

from console.engine.disciplines.fairshare.live_world import world_of
from console.engine.disciplines.fairshare.spec import NodePool
from console.engine.model.decision import Outcome
from console.engine.model.inventory import Cluster, Inventory, Node
from console.engine.state import State
from tests.engine.fairshare.live import policy, queue, workload

_NODES = tuple(
    Node(name=name, labels=labels, offered={"cpu": 8_000, "gpu": gpus})
    for name, labels, gpus in (("plain", {}, 1_000), ("a100", {"pool": "a100"}, 2_000))
)


@pytest.mark.parametrize(
    ("pool", "total", "node"),
    [
        (None, 3_000, "plain"),
        (NodePool(key="pool"), 1_000, "plain"),
        (NodePool(key="pool", value="a100"), 2_000, "a100"),
        (NodePool(key="pool", value="h100"), 0, None),
    ],
)
def test_other_nodes_neither_count_nor_take_pods(
    pool: NodePool | None, total: int, node: str | None
) -> None:
    state = State(policy([queue("a", quota=None)], node_pool=pool), now=1_000)
    state.change_inventory(Inventory(clusters={"c": Cluster(name="c", nodes=_NODES)}))
    state.submit(workload("one", 1, "a"))
    (decision,) = state.settle()
    assert world_of(state).total.gpu == total
    if node is None:
        assert (decision.outcome, decision.reason) == (Outcome.PENDING, "no_nodes")
    else:
        assert [place.node for place in decision.assignment[0].places] == [node]
