"""Placement of jobs on the nodes of many clusters, and one more decision with many waiting."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from console.dialects.skyshift.routing import JobRouting
from console.engine.disciplines.placement.spec import QUEUE, PlacementQueue, PlacementSpec
from console.engine.model.decision import Outcome
from console.engine.model.inventory import Cluster, Inventory, Node
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from console.engine.state import State
from tests.benchmarks.measured import Measured

CLUSTERS, NODES, JOBS = 50, 200, 10_000

#: Numbers of waiting jobs between which the time of one more decision is compared.
FEW, MANY = 1_000, 100_000

#: Number of jobs that end.
_ENDS: Final = 200

_PLACEMENTS: Final[tuple[Mapping[str, Any] | None, ...]] = (
    None,
    {"filters": [{"name": "dev", "match_labels": {"purpose": "dev"}}]},
    {
        "filters": [
            {
                "name": "not-prod",
                "match_expressions": [{"key": "purpose", "operator": "NotIn", "values": ["prod"]}],
            }
        ],
        "preferences": [{"name": "na", "match_labels": {"location": "na"}, "weight": 50}],
    },
)


def run() -> Iterator[Measured]:
    """Place jobs on empty clusters; then time decisions after single jobs have ended."""
    world = random.Random(1)
    state = _state(world, CLUSTERS, NODES, cpus=(16, 32, 64))
    jobs = [_job(world, number, cpus=(1, 2, 4, 8)) for number in range(JOBS)]
    start = time.process_time()
    for each in jobs:
        state.submit(each)
    decisions = state.settle()
    seconds = time.process_time() - start
    assert [each.outcome for each in decisions] == [Outcome.ADMITTED] * JOBS
    _check_no_node_is_over(state)
    told = f"{JOBS:,} jobs, {CLUSTERS} clusters of {NODES} nodes"
    yield Measured(name=f"placing: {told}", value=seconds, unit="s", at_most=3)
    few, many = _one_more(FEW), _one_more(MANY)
    yield Measured(name=f"placing: one more decision, {FEW:,} waiting", value=few, unit="ms")
    yield Measured(name=f"placing: one more decision, {MANY:,} waiting", value=many, unit="ms")
    yield Measured(name="placing: the ratio of both", value=many / few, unit="", at_most=1.5)


def _one_more(waiting: int) -> float:
    """Return the milliseconds of a decision, on average over those after single jobs have ended."""
    world = random.Random(2)
    state = _state(world, CLUSTERS, 40, cpus=(16,))
    number = 0
    while len(state.pending) < waiting:
        for _ in range(1_000):
            number += 1
            state.submit(_job(world, number, cpus=(1, 2, 4)))
        state.settle()
        state.take_changes()
    ending = sorted(state.running)[:: max(1, len(state.running) // _ENDS)][:_ENDS]
    decided = 0
    start = time.process_time()
    for uid in ending:
        state.finish(uid)
        decided += len(state.settle())
        state.take_changes()
    seconds = time.process_time() - start
    _check_no_node_is_over(state)
    assert decided > len(ending) // 2
    return seconds / decided * 1e3


def _check_no_node_is_over(state: State) -> None:
    for cluster in state.inventory.clusters.values():
        for node in cluster.nodes:
            used = state.node_usage.of((cluster.name, node.name))
            assert all(amount <= node.offered.get(key, 0) for key, amount in used.items())


def _state(world: random.Random, clusters: int, nodes: int, *, cpus: tuple[int, ...]) -> State:
    policy = Policy(
        dialect="skyshift",
        spec=PlacementSpec(queues={QUEUE: PlacementQueue(name=QUEUE)}),
        routing=JobRouting(),
    )
    state = State(policy)
    found = [
        Cluster(
            name=f"c{number}",
            labels={
                "purpose": world.choice(("dev", "staging", "prod")),
                "location": world.choice(("na", "us", "eu")),
            },
            nodes=tuple(
                Node(
                    name=f"n{place}",
                    offered={
                        "cpu": world.choice(cpus) * 1000,
                        "memory": 256 * 2**30 * 1000,
                        "A100": world.choice((0, 4, 8)) * 1000,
                    },
                )
                for place in range(nodes)
            ),
        )
        for number in range(clusters)
    ]
    state.change_inventory(Inventory(clusters={each.name: each for each in found}))
    return state


def _job(world: random.Random, number: int, *, cpus: tuple[int, ...]) -> Workload:
    requests = {
        "cpu": world.choice(cpus) * 1000,
        "memory": world.choice((1, 4, 16)) * 2**30 * 1000,
    }
    if world.random() < 0.2:
        requests["A100"] = world.choice((1, 2)) * 1000
    pods = PodSet(count=world.choice((1, 1, 1, 2, 4)), requests=requests)
    return Workload(
        id=f"w{number}",
        sequence=number,
        pod_sets=(pods,),
        placement=world.choice(_PLACEMENTS),
    )
