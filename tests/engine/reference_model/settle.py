"""The settle loop: cycles until nothing changes, then once more without queue memory."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from console.engine.model.policy import Strategy
from tests.engine.reference_model.cycle import CycleResult, run_cycle
from tests.engine.reference_model.tree import Node, Tree
from tests.engine.reference_model.world import (
    PreemptionRequest,
    Running,
    Waiting,
    World,
    is_preemption_loop,
)

#: Number of cycles after which the model gives up on a world.
MOST_CYCLES = 10_000


@dataclass(frozen=True, kw_only=True)
class Step:
    """One decision: *workload* was admitted, or preempts *victims*."""

    cycle: int
    action: str
    workload: str
    #: Victim -> reason.
    victims: tuple[tuple[str, str], ...] = ()


@dataclass(kw_only=True)
class Settled:
    """The result of settling; the world keeps its final state."""

    steps: list[Step] = field(default_factory=list)
    #: False if a state recurred, that is, Kueue's rules alone would loop forever.
    is_steady: bool = True
    #: Whether clearing the queue memory caused further decisions.
    resync_changed: bool = False


def settle(world: World) -> Settled:
    """Run cycles until *world* is settled or a state recurs."""
    settled = Settled()
    settled.is_steady = _run_until_settled(world, settled)
    rested: set[Hashable] = set()
    while settled.is_steady:
        decided = len(settled.steps)
        clear_queue_memory(world)
        if state_of(world) in rested:
            settled.is_steady = False
            break
        rested.add(state_of(world))
        settled.is_steady = _run_until_settled(world, settled)
        if len(settled.steps) == decided:
            break
        settled.resync_changed = True
    return settled


def _run_until_settled(world: World, settled: Settled) -> bool:
    """
    Run cycles until they change nothing; return False if a state with decisions recurs.

    A state that recurs without any decision in between counts as settled too: a workload with
    several pod sets may alternate between saved flavor positions. With `World.ends_loops`,
    the heads of that loop are parked, so that the workloads behind them are nominated.
    """
    #: State -> numbers of decisions and cycles before it.
    seen = {state_of(world): (len(settled.steps), 0)}
    results: list[CycleResult] = []
    while len(results) < MOST_CYCLES:
        results.append(run_cycle(world))
        settled.steps += steps_of(world, results[-1])
        for running in [each for each in world.running if each.is_evicted]:
            release(world, running)
        state = state_of(world)
        if state not in seen:
            seen[state] = (len(settled.steps), len(results))
            continue
        decided, cycles = seen[state]
        if decided != len(settled.steps):
            return False
        if not world.ends_loops or not _park_heads(world, results[cycles:]):
            return True
        seen = {state_of(world): (len(settled.steps), len(results))}
    return False


def _park_heads(world: World, circle: list[CycleResult]) -> bool:
    """Park the heads of BestEffortFIFO queues in *circle*; return whether there were any."""
    heads = [
        entry.waiting
        for result in circle
        for entry in result.entries
        if entry.queue.strategy is Strategy.BEST_EFFORT_FIFO
    ]
    for head in heads:
        head.is_inadmissible = True
        head.scan = None
    world.release_yielding(set())
    return bool(heads)


def steps_of(world: World, result: CycleResult) -> list[Step]:
    """Return the decisions of a cycle."""
    admitted = [
        Step(cycle=world.cycle, action="admit", workload=each.id) for each in result.admitted
    ]
    preempted = [
        Step(
            cycle=world.cycle,
            action="preempt",
            workload=preemptor,
            victims=tuple(sorted(victims.items())),
        )
        for preemptor, victims in result.preempted.items()
    ]
    return admitted + preempted


def release(world: World, running: Running) -> None:
    """Free the quota of a stopped workload and make it pending again (settle rule 2)."""
    preemptor = running.preemptor
    circles = preemptor is not None and is_preemption_loop(running.stopped_for, preemptor)
    world.running.remove(running)
    world.generation[running.queue] += 1
    world.waiting.append(
        Waiting(
            workload=running.workload,
            queue=running.queue,
            priority=running.priority,
            stopped_for=running.stopped_for,
            yields_to=preemptor if circles else None,
        )
    )
    retry(world, running.queue)


def retry(world: World, queue: str) -> None:
    """Requeue all inadmissible workloads in the tree of *queue* (spec 3.7)."""
    tree = Tree(world.policy)
    root = tree.root(tree.queue(queue))
    for each in world.waiting:
        if _is_root(tree, tree.root(tree.queue(each.queue)), root) and world.is_namespace_allowed(
            each
        ):
            each.is_inadmissible = False


def _is_root(tree: Tree, left: Node, right: Node) -> bool:
    return type(left) is type(right) and left.name == right.name


def clear_queue_memory(world: World) -> None:
    """Clear the queue memory: inadmissible workloads, sticky preemptors and flavor positions."""
    world.sticky.clear()
    for each in world.waiting:
        each.is_inadmissible = False
        each.scan = None


def state_of(world: World) -> Hashable:
    """Return everything that determines further decisions, for comparison."""
    running = [
        (each.id, each.is_evicted, _assigned(each), _pairs(each.stopped_for))
        for each in sorted(world.running, key=lambda each: each.reservation)
    ]
    waiting = [
        (
            each.id,
            each.is_inadmissible,
            each.yields_to,
            _scan_of(world, each),
            _pairs(each.stopped_for),
        )
        for each in sorted(world.waiting, key=lambda each: each.id)
    ]
    return (tuple(running), tuple(waiting), tuple(sorted(world.sticky.items())))


def _pairs(values: Mapping[str, list[PreemptionRequest]]) -> Hashable:
    return tuple((name, tuple(asks)) for name, asks in sorted(values.items()))


def _assigned(running: Running) -> Hashable:
    return tuple(
        (part.name, part.count, tuple(sorted(part.flavors.items()))) for part in running.assignment
    )


def _scan_of(world: World, waiting: Waiting) -> Hashable:
    scan = waiting.scan
    if scan is None:
        return None
    is_current = scan.generation == world.generation[waiting.queue]
    if not is_current and world.cycle - scan.cycle > 0:
        return None
    tried = tuple((name, tuple(sorted(each.items()))) for name, each in scan.tried.items())
    return (is_current, tried)
