"""
Random histories of one node, in which the engine decides as the slow model does.

``python -m tests.engine.fairshare.cycle_worlds 0 10000`` plays the seeds of a range.
"""

from __future__ import annotations

import random
import sys
from collections import Counter

from console.engine.live.pod_changes import PodGroup
from console.engine.model.amounts import SCALE
from console.engine.model.policy import Policy
from console.engine.model.preemption_loops import is_loop
from console.engine.model.workload import Workload
from console.engine.state import State
from tests.engine.fairshare.cycle_reference import Model, ModelJob, ModelQueue, settle
from tests.engine.fairshare.live import inventory, policy, queue, workload

_EVICTIONS = ("fairshare_reclaimed", "fairshare_preempted", "fairshare_consolidated")


class Difference(AssertionError):
    """The engine and the model have decided differently."""


class CycleWorld:
    """A state of the engine under random events."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._parents: dict[str, str | None] = {}
        for top in ("a", "b")[: self._random.randint(1, 2)]:
            self._parents[top] = None
            for number in range(self._random.randint(0, 3)):
                middle = f"{top}{number}"
                self._parents[middle] = top
                if self._random.random() < 0.2:
                    self._parents |= {f"{middle}x": middle, f"{middle}y": middle}
        self._queues: dict[str, ModelQueue] = {}
        self.state = State(self._settings(), now=1000)
        self._gpus = self._random.randint(1, 8)
        self.state.change_inventory(inventory(self._gpus))
        self._workloads: dict[str, Workload] = {}
        self._number = 0
        #: What was compared, and how often.
        self.counts: Counter[str] = Counter()

    def _settings(self) -> Policy:
        choose = self._random.choice
        self._queues = {
            name: ModelQueue(
                name=name,
                parent=parent,
                priority=choose((100, 100, 200)),
                created=choose((0, 1, 2)),
                quota=choose((0, 1, 2, 4, -1)),
                limit=choose((-1, -1, -1, 3, 6)),
                weight=choose((0, 1, 1, 2)),
                preempt_min_runtime=choose((None, None, None, 0, 40)),
                reclaim_min_runtime=choose((None, None, None, 0, 40)),
            )
            for name, parent in self._parents.items()
        }
        return policy(
            [
                queue(
                    each.name,
                    each.parent,
                    quota=None if each.quota == -1 else each.quota,
                    limit=None if each.limit == -1 else each.limit,
                    weight=each.weight,
                    priority=each.priority,
                    created=each.created,
                    preempt_min_runtime=each.preempt_min_runtime,
                    reclaim_min_runtime=each.reclaim_min_runtime,
                )
                for each in self._queues.values()
            ],
            stale_grace=-1,
        )

    def play(self, steps: int = 20) -> None:
        """
        Apply *steps* random events, and compare after each of them.

        Raises Difference.
        """
        for _ in range(steps):
            self._step()
            self._compare()

    def _step(self) -> None:
        choose, state = self._random.choice, self.state
        if self._random.random() < 0.3:
            state.advance(state.now + self._random.randint(1, 50))
        chance = self._random.random()
        running = sorted(state.running)
        if chance < 0.5:
            for _ in range(self._random.randint(1, 3)):
                self._submit()
        elif chance < 0.7 and running:
            self._end(choose(running))
        elif chance < 0.88 and state.evicting:
            state.release(choose(sorted(state.evicting)))
        elif chance < 0.96 and running:
            name = choose(running)
            state.release_pods(name, PodGroup(pod_set="main", count=self._random.randint(1, 2)))
        else:
            state.change_policy(self._settings())

    def _submit(self) -> None:
        choose = self._random.choice
        self._number += 1
        leaves = [name for name in self._parents if name not in self._parents.values()]
        count = choose((1, 1, 1, 2, 3))
        created = workload(
            f"w{self._number}",
            self._number,
            choose(leaves),
            gpu=choose((1, 1, 2, 3)),
            count=count,
            min_count=choose((None, 1)),
            priority=choose((50, 50, 75, 100, 125)),
        )
        self._workloads[created.id] = created
        self.state.submit(created)

    def _end(self, name: str) -> None:
        self.state.finish(name)
        del self._workloads[name]

    def _model(self) -> Model:
        """Return the model of the state as it is now."""
        jobs, loops = {}, set()
        for name, submitted in self._workloads.items():
            running = self.state.running.get(name)
            (pods,) = (running.workload if running is not None else submitted).pod_sets
            job = ModelJob(
                name=name,
                queue=submitted.labels["queue"],
                created=submitted.sequence,
                priority=submitted.priority or 0,
                is_firm=(submitted.priority or 0) >= 100,
                gpus=pods.requests["gpu"] // SCALE,
                count=pods.count,
                minimum=pods.count if pods.min_count is None else pods.min_count,
            )
            jobs[name] = job
            if running is not None:
                (assigned,) = running.assignment
                stopping = sum(place.count for place in assigned.stopping)
                job.is_evicted = running.evicting
                job.is_admitted = not running.evicting
                job.running = 0 if running.evicting else assigned.count
                job.releasing = stopping + (assigned.count if running.evicting else 0)
                job.has_shrunk = str(running.reason) in _EVICTIONS
                job.started = running.started
            # A pending workload keeps its stops when it starts, and may be a victim in the next
            # cycle.
            known = running or self.state.pending[name]
            loops |= {
                (other, name) for other in known.stopped_for if is_loop(known.stopped_for, other)
            }
        return Model(
            gpus=self._gpus,
            queues=self._queues,
            now=self.state.now,
            jobs=jobs,
            loops=frozenset(loops),
        )

    def _compare(self) -> None:
        if any(each.yields_to is not None for each in self.state.pending.values()):
            # The model does not know workloads that yield to others.
            self.state.settle()
            self.counts["left out"] += 1
            return
        model = self._model()
        before = model.jobs and {name: vars(job).copy() for name, job in model.jobs.items()}
        settle(model)
        decisions = self.state.settle()
        self.counts.update(str(each.reason) for each in decisions)
        self.counts["compared"] += 1
        expected, found = _contents(model), _contents(self._model())
        if expected != found:
            texts = [f"{each.workload}: {each.outcome} ({each.reason})" for each in decisions]
            raise Difference(
                "\n".join(
                    (
                        f"{self._gpus} GPUs at {self.state.now}",
                        *(str(each) for each in self._queues.values()),
                        *(str(each) for each in before.values()),
                        f"decisions: {texts}",
                        f"model:  {_differing(expected, found)}",
                        f"engine: {_differing(found, expected)}",
                    )
                )
            )


def _contents(model: Model) -> dict[str, tuple[int, int, bool]]:
    """Return how many pods of each workload run and stop, and whether it is evicted."""
    return {
        name: (job.running, job.releasing, job.is_evicted)
        for name, job in model.jobs.items()
        if job.is_admitted or job.is_evicted
    }


def _differing(
    some: dict[str, tuple[int, int, bool]], others: dict[str, tuple[int, int, bool]]
) -> dict[str, tuple[int, int, bool] | None]:
    names = sorted(some.keys() | others.keys())
    return {name: some.get(name) for name in names if some.get(name) != others.get(name)}


def main() -> None:
    """Play the seeds from the first argument up to the second one."""
    first, last = map(int, sys.argv[1:3])
    counts: Counter[str] = Counter()
    for seed in range(first, last):
        world = CycleWorld(seed)
        try:
            world.play()
        except Difference as difference:
            counts["different"] += 1
            if counts["different"] <= 3:
                print(f"seed {seed}: {difference}\n")
        counts.update(world.counts)
    print(f"{last - first} worlds: {dict(counts)}")


if __name__ == "__main__":
    main()
