"""Settling: cycles until nothing changes, then once more without the memory of the lines."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from tests.engine.reference_model.cycle import CycleResult, run_cycle
from tests.engine.reference_model.tree import Node, Tree
from tests.engine.reference_model.world import Running, Waiting, World

#: Cycles after which a world counts as restless.
MOST_CYCLES = 10_000


@dataclass(frozen=True, kw_only=True)
class Step:
    """One decision: *workload* was admitted, or told *victims* to stop."""

    cycle: int
    action: str
    workload: str
    #: Victim -> reason.
    victims: tuple[tuple[str, str], ...] = ()


@dataclass(kw_only=True)
class Settled:
    """How settling went; the world is left as it ended."""

    steps: list[Step] = field(default_factory=list)
    #: False: a state came back, so that the plain rules would go round for ever.
    is_steady: bool = True
    #: Dropping the memory of the lines led to further decisions.
    resync_changed: bool = False


def settle(world: World) -> Settled:
    """Run cycles until *world* rests or a state comes back."""
    settled = Settled()
    settled.is_steady = _until_nothing_changes(world, settled)
    while settled.is_steady:
        decided = len(settled.steps)
        forget(world)
        settled.is_steady = _until_nothing_changes(world, settled)
        if len(settled.steps) == decided:
            break
        settled.resync_changed = True
    return settled


def _until_nothing_changes(world: World, settled: Settled) -> bool:
    """
    Run cycles until they change nothing; say whether they ever do.

    Lines that return to an earlier state without any decision in between rest
    too: nothing will come of it (a workload with several pod sets may alternate
    between positions of its walks).
    """
    #: State -> how many decisions had been made.
    seen = {state_of(world): len(settled.steps)}
    for _ in range(MOST_CYCLES):
        result = run_cycle(world)
        settled.steps += steps_of(world, result)
        for running in [each for each in world.running if each.is_evicted]:
            release(world, running)
        state = state_of(world)
        if state in seen:
            return seen[state] == len(settled.steps)
        seen[state] = len(settled.steps)
    return False


def steps_of(world: World, result: CycleResult) -> list[Step]:
    """Return what a cycle decided."""
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
    """Let a workload that has stopped give its quota back and wait again (settle rule 2)."""
    world.running.remove(running)
    world.generation[running.queue] += 1
    world.waiting.append(
        Waiting(workload=running.workload, queue=running.queue, priority=running.priority)
    )
    retry(world, running.queue)


def retry(world: World, queue: str) -> None:
    """Give everybody who is parked in the tree of *queue* another turn (spec 3.7)."""
    tree = Tree(world.policy)
    root = tree.root(tree.queue(queue))
    for each in world.waiting:
        if _is_root(tree, tree.root(tree.queue(each.queue)), root) and world.is_welcome(each):
            each.is_parked = False


def _is_root(tree: Tree, left: Node, right: Node) -> bool:
    return type(left) is type(right) and left.name == right.name


def forget(world: World) -> None:
    """Drop all memory of the lines: who is parked or sticky, and where walks stopped."""
    world.sticky.clear()
    for each in world.waiting:
        each.is_parked = False
        each.scan = None


def state_of(world: World) -> Hashable:
    """Return all that decides what happens next, so that states can be compared."""
    running = [
        (each.id, each.is_evicted, _assigned(each))
        for each in sorted(world.running, key=lambda each: each.reservation)
    ]
    waiting = [
        (each.id, each.is_parked, _scan_of(world, each))
        for each in sorted(world.waiting, key=lambda each: each.id)
    ]
    return (tuple(running), tuple(waiting), tuple(sorted(world.sticky.items())))


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
