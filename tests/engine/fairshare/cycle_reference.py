"""
A slow and simple model of whole cycles on one node with GPUs.

It follows the published rules step by step with plain dictionaries and loops, and shares no code
with the discipline. Amounts are whole GPUs; -1 is unlimited. All workloads have one group of pods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from math import inf

from tests.engine.fairshare.reference import Claim, fair_shares


@dataclass(frozen=True, kw_only=True)
class ModelQueue:
    """A queue as the config states it."""

    name: str
    parent: str | None
    priority: int
    created: int
    quota: float
    limit: float
    weight: float
    preempt_min_runtime: int | None = None
    reclaim_min_runtime: int | None = None


@dataclass(kw_only=True)
class ModelJob:
    """
    A workload with *count* pods of *gpus* each, as numbers of pods by what they do.

    Between cycles, pods are pending, running or releasing.
    """

    name: str
    queue: str
    created: int
    priority: int
    is_firm: bool
    gpus: int
    count: int
    minimum: int
    running: int = 0
    #: Whether it has started and not been evicted since, even if no pod runs now.
    is_admitted: bool = False
    #: They have to stop, and use the node until then.
    releasing: int = 0
    #: Whether all of its pods have to stop, after which it is pending again.
    is_evicted: bool = False
    #: Whether others have taken pods of it since it last got any.
    has_shrunk: bool = False
    started: int | None = None
    #: Only in a cycle: pods that start, and those that wait for releasing ones.
    binding: int = 0
    pipelined: int = 0

    @property
    def active(self) -> int:
        return self.running + self.binding + self.pipelined

    @property
    def pending(self) -> int:
        return 0 if self.is_evicted else self.count - self.active

    @property
    def unit(self) -> int:
        """The pods that start next, all or none."""
        if self.active < self.minimum:
            return self.minimum - self.active
        return min(1, self.pending)

    @property
    def place(self) -> tuple[int, int, int, str]:
        """Earlier ones are served first."""
        return -self.priority, _elasticity(self.active, self.minimum), self.created, self.name


def _elasticity(active: int, minimum: int) -> int:
    return (active >= minimum) + (active > minimum)


@dataclass(kw_only=True)
class Model:
    """A node, queues and workloads at one time."""

    gpus: int
    queues: Mapping[str, ModelQueue]
    now: int = 0
    jobs: dict[str, ModelJob] = field(default_factory=dict)
    #: Pairs of workloads of which the first may not take room from the second any more.
    loops: frozenset[tuple[str, str]] = frozenset()

    # Queues

    def path(self, name: str) -> list[str]:
        """Return a queue and those above it, the nearest first."""
        found = [name]
        while (above := self.queues[found[-1]].parent) is not None:
            found.append(above)
        return found

    def children(self, name: str | None) -> list[str]:
        return [each.name for each in self.queues.values() if each.parent == name]

    def used(self, name: str, *, firm: bool = False) -> int:
        """Return what active pods below a queue use; if *firm*, of non-preemptible workloads."""
        return sum(
            each.active * each.gpus
            for each in self.jobs.values()
            if name in self.path(each.queue) and (each.is_firm or not firm)
        )

    def shares(self) -> dict[str, float]:
        """Return the fair shares for what is requested now."""
        requested = dict.fromkeys(self.queues, 0.0)
        for job in self.jobs.values():
            for name in self.path(job.queue):
                requested[name] += (job.active + job.pending) * job.gpus
        claims = {
            name: Claim(
                parent=queue.parent,
                priority=queue.priority,
                created=queue.created,
                quota=queue.quota,
                limit=queue.limit,
                weight=queue.weight,
                request=requested[name],
                usage=0,
            )
            for name, queue in self.queues.items()
        }
        return fair_shares(self.gpus, claims, 1.0)

    def is_leaf(self, name: str) -> bool:
        return not self.children(name)

    # The node

    @property
    def future(self) -> int:
        """The GPUs that are free when all releasing pods have stopped."""
        return self.gpus - sum(each.active * each.gpus for each in self.jobs.values())

    @property
    def idle(self) -> int:
        """The GPUs that are free now; places that waiting pods have reserved are not."""
        held = sum((each.active + each.releasing) * each.gpus for each in self.jobs.values())
        return min(self.future, self.gpus - held + self._pipelined)

    @property
    def _pipelined(self) -> int:
        return sum(each.pipelined * each.gpus for each in self.jobs.values())

    def may_start(self, job: ModelJob, unit: int) -> bool:
        """Return whether limits, and quotas for a firm workload, allow pods of a workload."""
        amount = unit * job.gpus
        for name in self.path(job.queue):
            limit = self.queues[name].limit
            if limit != -1 and self.used(name) + amount > limit:
                return False
        return not job.is_firm or self.is_in_quota(job, amount)

    def is_in_quota(self, job: ModelJob, amount: int) -> bool:
        return all(
            self.queues[name].quota == -1
            or self.used(name, firm=True) + amount <= self.queues[name].quota
            for name in self.path(job.queue)
        )


class ModelCycle:
    """One cycle: shares are those of its beginning, and the model changes as it goes."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.shares = model.shares()
        #: The running pods that each workload has lost in this cycle; 0: only places that waited.
        self.lost: dict[str, int] = {}

    def run(self) -> bool:
        """Run all actions, and take over the result; return whether anything has changed."""
        self._allocate([each for each in self._waiting() if not each.has_shrunk])
        self._allocate([each for each in self._waiting() if each.has_shrunk])
        for may_try, candidates, validate in (
            (self._may_reclaim, self._reclaimable, self._is_valid_reclaim),
            (self._may_preempt, self._preemptable, self._is_valid_preemption),
        ):
            self._search(may_try, candidates, validate)
        return self._take_over()

    def _waiting(self) -> list[ModelJob]:
        return [
            job
            for job in self.model.jobs.values()
            if job.pending and job.name not in self.lost and self.model.is_leaf(job.queue)
        ]

    def _take_over(self) -> bool:
        changed = False
        for job in self.model.jobs.values():
            lost = self.lost.get(job.name, 0)
            if lost:
                changed, job.has_shrunk = True, True
                job.is_evicted = not job.running
                job.is_admitted = not job.is_evicted
            elif job.binding:
                changed, job.has_shrunk = True, False
                if not job.is_admitted:
                    job.is_admitted, job.started = True, self.model.now
                job.running += job.binding
            job.binding = job.pipelined = 0
        return changed

    # The order of turns

    def _allocatable(self, name: str) -> float:
        queue = self.model.queues[name]
        if queue.quota == -1:
            return queue.limit
        found = max(queue.quota, self.shares[name])
        return found if queue.limit == -1 else min(found, queue.limit)

    def _share(self, name: str, amount: float) -> float:
        """Return the dominant share; that of other resources is 0."""
        allocatable = self._allocatable(name)
        if allocatable == 0:
            return max(0, amount * 1000)
        return max(0, amount / (self.model.gpus if allocatable == -1 else allocatable))

    def _rank(self, name: str, request: float, less: float) -> tuple[object, ...]:
        """Return the place of a queue among its siblings; smaller ones are served first."""
        queue, used = self.model.queues[name], self.model.used(name)
        allocatable = self._allocatable(name)
        return (
            not (queue.quota == -1 or used + request <= queue.quota),
            -queue.priority,
            allocatable == 0 and used + request > 0,
            self._share(name, used + request - less),
            self._share(name, used),
            inf if allocatable == -1 else allocatable,
            queue.created,
            name,
        )

    def _next(self, jobs: list[ModelJob], request: Callable[[ModelJob], float]) -> ModelJob:
        """Return the job whose turn is next."""

        def best(parent: str | None) -> tuple[tuple[object, ...], ModelJob] | None:
            found = []
            for name in self.model.children(parent):
                if self.model.is_leaf(name):
                    mine = [job for job in jobs if job.queue == name]
                    job = min(mine, key=lambda each: each.place, default=None)
                else:
                    below = best(name)
                    job = below[1] if below is not None else None
                if job is not None:
                    found.append((self._rank(name, request(job), 0), job))
            return min(found, key=lambda each: each[0], default=None)

        chosen = best(None)
        assert chosen is not None
        return chosen[1]

    def _victims(self, candidates: list[ModelJob]) -> Iterator[tuple[str, int]]:
        """Yield the units of victims in the order in which they are taken, by name and pods."""
        left = {job.name: job.active for job in candidates}
        jobs = {job.name: job for job in candidates}
        taken = dict.fromkeys(self.model.queues, 0)

        def last_in(queue: str) -> str | None:
            return max(
                (name for name in left if jobs[name].queue == queue),
                key=lambda name: (
                    -jobs[name].priority,
                    _elasticity(left[name], jobs[name].minimum),
                    jobs[name].created,
                    name,
                ),
                default=None,
            )

        def worst(parent: str | None) -> tuple[tuple[object, ...], str] | None:
            found = []
            for queue in self.model.children(parent):
                if self.model.is_leaf(queue):
                    name = last_in(queue)
                else:
                    below = worst(queue)
                    name = below[1] if below is not None else None
                if name is not None:
                    job = jobs[name]
                    less = taken[job.queue] + left[name] * job.gpus
                    found.append((self._rank(queue, 0, less), name))
            return max(found, key=lambda each: each[0], default=None)

        while left:
            chosen = worst(None)
            assert chosen is not None
            job = jobs[chosen[1]]
            pods = left.pop(job.name)
            taken[job.queue] += pods * job.gpus
            unit = 1 if pods > job.minimum else pods
            if pods > unit:
                left[job.name] = pods - unit
            yield job.name, unit

    # Actions

    def _allocate(self, jobs: list[ModelJob]) -> None:
        while jobs:
            job = self._next(jobs, lambda each: each.unit * each.gpus)
            unit = job.unit
            amount = unit * job.gpus
            fits = self.model.may_start(job, unit) and amount <= self.model.future
            if not fits:
                jobs.remove(job)
                continue
            # Further pods wait as long as the minimum does.
            waits = job.pipelined and job.running + job.binding + unit < job.minimum
            if amount <= self.model.idle and not waits:
                job.binding += unit
            else:
                job.pipelined += unit
            if not job.pending:
                jobs.remove(job)

    def _search(
        self,
        may_try: Callable[[ModelJob], bool],
        candidates: Callable[[ModelJob], list[ModelJob]],
        validate: Callable[[ModelJob, int, Mapping[str, int], Model], bool],
    ) -> None:
        """Search victims for one start unit of each job without places in this cycle."""
        jobs = [
            each
            for each in self._waiting()
            if not (each.binding or each.pipelined or (each.is_admitted and each.has_shrunk))
        ]
        failed = set()
        while jobs:
            job = self._next(jobs, lambda each: each.unit * each.gpus)
            jobs.remove(job)
            alone = job.name if job.is_admitted else ""
            kind = job.queue, job.is_firm, job.gpus, job.count, job.minimum, alone
            if kind in failed:
                continue
            losses = None
            if may_try(job):
                losses = self._solve(job, candidates(job), validate)
            if losses is None:
                failed.add(kind)
                continue
            for name, pods in losses.items():
                ran = self.model.jobs[name].running
                self._evict(self.model, name, pods)
                ran -= self.model.jobs[name].running
                self.lost[name] = self.lost.get(name, 0) + ran
            job.pipelined += job.unit

    def _evict(self, model: Model, name: str, pods: int) -> None:
        """Stop the last active pods; those that only wait for a place give it up."""
        job = model.jobs[name]
        waiting = min(pods, job.pipelined)
        job.pipelined -= waiting
        job.running -= pods - waiting
        job.releasing += pods - waiting

    def _solve(
        self,
        job: ModelJob,
        candidates: list[ModelJob],
        validate: Callable[[ModelJob, int, Mapping[str, int], Model], bool],
    ) -> dict[str, int] | None:
        """Return the pods that others lose to the start unit of a job, by name."""
        at_start = self.model
        recorded: dict[str, int] = {}
        for prefix in range(1, job.unit + 1):
            found = self._trial(job, prefix, recorded, validate) if recorded else None
            if found is None:
                taken = dict(recorded)
                known = dict(recorded)
                for name, pods in self._victims(candidates):
                    if known.get(name):
                        known[name] -= min(pods, known[name])
                        continue
                    taken[name] = taken.get(name, 0) + pods
                    found = self._trial(job, prefix, taken, validate)
                    if found is not None:
                        break
            self.model = at_start
            if found is None:
                return None
            recorded = found
        return recorded

    def _trial(
        self,
        job: ModelJob,
        prefix: int,
        taken: Mapping[str, int],
        validate: Callable[[ModelJob, int, Mapping[str, int], Model], bool],
    ) -> dict[str, int] | None:
        """Evict *taken*, place everything again in the order of turns, and return the losses."""
        before = self.model
        self.model = trial = deepcopy(before)
        try:
            for name, pods in taken.items():
                self._evict(trial, name, pods)
            mine = trial.jobs[job.name]
            mine.count, mine.minimum = mine.active + prefix, mine.active + prefix
            jobs, back = [mine, *(trial.jobs[name] for name in taken)], dict(taken)
            has_place = False
            while jobs:
                each = self._next(jobs, lambda one: one.unit * one.gpus)
                jobs.remove(each)
                unit = each.unit
                if not trial.may_start(each, unit) or unit * each.gpus > trial.future:
                    if each is mine:
                        return None
                    continue
                each.pipelined += unit
                if each is mine:
                    has_place = True
                else:
                    back[each.name] -= unit
            losses = {name: pods for name, pods in back.items() if pods > 0}
            if not has_place or not validate(job, prefix, losses, before):
                return None
            return losses
        finally:
            self.model = before

    # Reclaim

    def _may_reclaim(self, job: ModelJob) -> bool:
        amount, queue = job.unit * job.gpus, self.model.queues[job.queue]
        if self.model.used(job.queue) + amount > self.shares[job.queue]:
            return False
        firm = self.model.used(job.queue, firm=True)
        return not job.is_firm or queue.quota == -1 or firm + amount <= queue.quota

    def _reclaimable(self, job: ModelJob) -> list[ModelJob]:
        """Return the workloads that may be taken; none if no queue is above its entitlement."""
        found = [
            each
            for each in self._movable(job)
            if each.queue != job.queue
            and self._may_lose_any(each, self._reclaim_runtime(job, each))
        ]
        used = {name: float(self.model.used(name)) for name in self.model.queues}
        unit = job.unit * job.gpus
        if any(self._may_lose(each.queue, job.queue, unit, used, self.model) for each in found):
            return found
        return []

    def _movable(self, job: ModelJob) -> list[ModelJob]:
        """Return running preemptible workloads; those that start now are left alone."""
        return [
            each
            for each in self.model.jobs.values()
            if each.is_admitted
            and each.active
            and not each.is_firm
            and not each.binding
            and self.model.is_leaf(each.queue)
            and (job.name, each.name) not in self.model.loops
        ]

    def _may_lose_any(self, victim: ModelJob, runtime: int) -> bool:
        return not self._is_protected(victim, runtime) or victim.active > victim.minimum

    def _is_protected(self, victim: ModelJob, runtime: int) -> bool:
        return victim.started is not None and self.model.now < victim.started + runtime

    def _reclaim_runtime(self, job: ModelJob, victim: ModelJob) -> int:
        above_job = self.model.path(job.queue)
        path = self.model.path(victim.queue)
        beside = [name for name in path if name not in above_job]
        if len(beside) == len(path):
            # Different trees: the queue at the top.
            found = self.model.queues[path[-1]].reclaim_min_runtime
            return found or 0
        start = path.index(beside[-1])
        for name in path[start:]:
            runtime = self.model.queues[name].reclaim_min_runtime
            if runtime is not None:
                return runtime
        return 0

    def _keeps_protected(
        self, losses: Mapping[str, int], runtime: Callable[[ModelJob], int], before: Model
    ) -> bool:
        for name, pods in losses.items():
            victim = before.jobs[name]
            if victim.active - pods < victim.minimum and self._is_protected(
                victim, runtime(victim)
            ):
                return False
        return True

    def _is_valid_reclaim(
        self, job: ModelJob, prefix: int, losses: Mapping[str, int], before: Model
    ) -> bool:
        if not self._keeps_protected(
            losses, lambda victim: self._reclaim_runtime(job, victim), before
        ):
            return False
        unit = prefix * job.gpus
        left = {name: float(before.used(name)) for name in before.queues}
        mine = before.path(job.queue)
        touched: set[str] = set()
        by_queue: dict[str, list[int]] = {}
        for name, pods in losses.items():
            victim = before.jobs[name]
            above = min(pods, max(0, victim.active - victim.minimum))
            chunks = [victim.gpus] * above
            if pods > above:
                chunks.append((pods - above) * victim.gpus)
            by_queue.setdefault(victim.queue, []).extend(chunks)
        for queue, chunks in by_queue.items():
            theirs = before.path(queue)
            touched.update(theirs)
            for chunk in chunks:
                if not self._may_lose(queue, job.queue, unit, left, before):
                    return False
                for each in theirs:
                    left[each] -= chunk
        for name in mine:
            if self._exceeds_sibling(name, unit, left, touched, before):
                return False
        return not job.is_firm or before.is_in_quota(job, unit)

    def _may_lose(
        self, queue: str, reclaimer: str, unit: int, left: Mapping[str, float], before: Model
    ) -> bool:
        """Return whether a queue that has *left* may lose something to *reclaimer*."""
        mine = before.path(reclaimer)
        side = next(each for each in reversed(before.path(queue)) if each not in mine)
        level = before.queues[side].parent
        own = next(each for each in mine if before.queues[each].parent == level)
        allocatable = self._allocatable(side)
        if allocatable != -1 and left[side] > allocatable:
            return True
        quota, own_quota = before.queues[side].quota, before.queues[own].quota
        serves_quota = own_quota == -1 or before.used(own) + unit <= own_quota
        return serves_quota and quota != -1 and left[side] > quota

    def _exceeds_sibling(
        self, name: str, unit: int, left: Mapping[str, float], touched: set[str], before: Model
    ) -> bool:
        mine = _ratio(left[name] + unit, self.shares[name])
        if mine <= 1:
            return False
        return any(
            self.shares[each] > 0 and mine >= _ratio(left[each], self.shares[each])
            for each in before.children(before.queues[name].parent)
            if each != name and each in touched
        )

    # Preempt

    def _may_preempt(self, job: ModelJob) -> bool:
        return not job.is_firm or self.model.is_in_quota(job, job.unit * job.gpus)

    def _preempt_runtime(self, victim: ModelJob) -> int:
        for name in self.model.path(victim.queue):
            runtime = self.model.queues[name].preempt_min_runtime
            if runtime is not None:
                return runtime
        return 0

    def _preemptable(self, job: ModelJob) -> list[ModelJob]:
        return [
            each
            for each in self._movable(job)
            if each.queue == job.queue
            and each.priority < job.priority
            and self._may_lose_any(each, self._preempt_runtime(each))
        ]

    def _is_valid_preemption(
        self, job: ModelJob, prefix: int, losses: Mapping[str, int], before: Model
    ) -> bool:
        return self._keeps_protected(losses, self._preempt_runtime, before)


def _ratio(amount: float, share: float) -> float:
    if share == 0:
        return inf if amount else 0.0
    return amount / share


def settle(model: Model) -> None:
    """Run cycles until nothing changes."""
    for _ in range(1_000):
        if not ModelCycle(model).run():
            return
    raise AssertionError("cycles without end")
