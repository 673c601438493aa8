"""
The search for victims: workloads that have to stop so that the pods of another one can start.

Victims are taken one unit after the other in the opposite order of turns. After each one it is
tried on the session whether the pods fit when all units so far that use the node of the last one
are evicted and placed again, in the order of turns. Those that get a place again are only moved.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from console.engine.disciplines.fairshare.gangs import (
    Pod,
    PodGroup,
    PodState,
    elasticity,
    requested,
    start_unit,
    victim_unit,
)
from console.engine.disciplines.fairshare.nomination import Hurdle, VictimVerdict
from console.engine.disciplines.fairshare.reclaim import ReclaimRefusal
from console.engine.disciplines.fairshare.resources import Amounts
from console.engine.disciplines.fairshare.session import Job, Session
from console.engine.disciplines.fairshare.turn_order import TurnOrder
from console.engine.disciplines.fairshare.workload_order import Precedence

#: How many verdicts on victims are kept for explanations.
_MOST_VERDICTS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Victim:
    """Pods of one workload that are evicted together."""

    job: Job
    pods: tuple[Pod, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why victims that would make room may not be taken."""

    hurdle: Hurdle
    refusal: ReclaimRefusal | None = None


#: Decides about what victims lose to the pods of a job that are given; None: they may be taken.
Validator = Callable[[Sequence[Pod], Sequence[Victim]], Refused | None]


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A workload as far as it has not been taken."""

    job: Job
    #: Its pods that were taken before.
    gone: frozenset[Pod]
    #: What its other pods use.
    used: Amounts
    place: tuple[int, int, int, str]


@dataclass(slots=True, kw_only=True)
class VictimSearch:
    """A search for victims; its result is left in the session as changes."""

    session: Session
    #: All workloads that may be taken.
    candidates: Sequence[Job]
    validate: Validator
    #: The nodes on which victims may be found; None: all of them.
    nodes: Collection[str] | None = None
    #: What refused the first victims, for explanations.
    verdicts: list[VictimVerdict] = field(default_factory=list)

    def note_protected(self, jobs: Iterable[Job]) -> None:
        """Record that workloads are no candidates because they started too recently."""
        for job in jobs:
            self._note(Victim(job=job, pods=()), Refused(hurdle=Hurdle.PROTECTED))

    def run(self, job: Job) -> tuple[Victim, ...] | None:
        """
        Make room for the pods of *job* that start together; return those that are evicted or moved.

        The pods of the job then wait for the victims to stop. None if there is no solution; then
        the session is unchanged.
        """
        unit = start_unit(job.groups)
        if not unit or not self.candidates or (self.nodes is not None and not self.nodes):
            return None
        checkpoint = self.session.checkpoint()
        recorded: tuple[Victim, ...] = ()
        for count in range(1, len(unit) + 1):
            self.session.rollback(checkpoint)
            found = self._solve(_with_first(job, unit[:count]), unit[:count], recorded)
            if found is None:
                return None
            recorded = found
        return recorded

    def _solve(
        self, job: Job, unit: Sequence[Pod], recorded: tuple[Victim, ...]
    ) -> tuple[Victim, ...] | None:
        """Make room for the first pods of a job, beginning with the victims for fewer pods."""
        if recorded and (found := self._try(job, unit, recorded)) is not None:
            return found
        beside: dict[str, list[Victim]] = {}
        # With the last pod on these nodes, the last solution has been tried.
        left = None if recorded else self._pods_on_nodes()
        known = frozenset(pod for each in recorded for pod in each.pods)
        for victim in self._victims(known):
            nodes = dict.fromkeys(pod.node for pod in victim.pods if pod.node is not None)
            for node in nodes:
                beside.setdefault(node, []).append(victim)
            if left is not None:
                left -= sum(pod.node in (self.nodes or ()) for pod in victim.pods)
            for node in nodes:
                if not recorded and self.nodes is not None and node not in self.nodes:
                    continue
                if not recorded and not self._may_fit(unit, node, beside[node]):
                    self._note(victim, Refused(hurdle=Hurdle.NO_ROOM))
                    continue
                if (found := self._try(job, unit, (*recorded, *beside[node]))) is not None:
                    return found
            if left == 0:
                return None
        return None

    def _pods_on_nodes(self) -> int | None:
        """Return how many pods of the candidates run on `nodes`; None: on any node."""
        nodes = self.nodes
        if nodes is None:
            return None
        return sum(
            pod.node in nodes for job in self.candidates for pod in job.pods if pod.is_active
        )

    def _may_fit(self, unit: Sequence[Pod], node: str, victims: Sequence[Victim]) -> bool:
        """
        Return whether the only pod of *unit* may fit if *victims* leave a node.

        It does not fit elsewhere either, unless one of them leaves another node too.
        """
        if len(unit) > 1 or unit[0].need.share is not None:
            return True
        need, room = unit[0].need, self.session.rooms[node]
        cpu, memory, gpus = room.future_cpu, room.future_memory, room.future_gpus
        for each in victims:
            for pod in each.pods:
                if pod.node != node:
                    return True
                cpu += pod.need.cpu
                memory += pod.need.memory
                gpus += pod.need.gpus + (pod.need.share.devices if pod.need.share else 0)
        if need.cpu <= cpu and need.memory <= memory and need.gpus <= gpus:
            return True
        return self.session.rooms.fit(need)

    def _try(
        self, job: Job, unit: Sequence[Pod], victims: Sequence[Victim]
    ) -> tuple[Victim, ...] | None:
        """Evict victims and place everything again; return those that did not stay."""
        session, checkpoint = self.session, self.session.checkpoint()
        for each in victims:
            for pod in each.pods:
                session.evict(each.job, pod)
        refused = None
        if not self._place_again(job, victims):
            refused = Refused(hurdle=Hurdle.NO_ROOM)
        else:
            lost = _pods_of(victims, lambda pod: pod.state is PodState.RELEASING)
            refused = self.validate(unit, lost)
        if refused is None:
            return _pods_of(victims, _is_gone)
        session.rollback(checkpoint)
        self._note(victims[-1], refused)
        return None

    def _place_again(self, job: Job, victims: Iterable[Victim]) -> bool:
        """Place *job* and the victims in the order of turns; return whether *job* has places."""
        session, has_place = self.session, False
        order = session.turns([job, *dict.fromkeys(each.job for each in victims)])
        while (each := order.pop()) is not None:
            placement = session.place(each, start_unit(each.groups), only_in_future=True)
            if each is job:
                if not placement.is_complete:
                    return False
                has_place = True
            order.changed(each.queue)
        return has_place

    def _victims(self, known: frozenset[Pod]) -> Iterator[Victim]:
        """Yield the units of the candidates in the order in which they are taken."""
        by_queue: dict[str, list[_Candidate]] = {}
        for job in self.candidates:
            by_queue.setdefault(job.queue, []).append(_candidate(job, frozenset()))
        order = TurnOrder(
            by_queue,
            paths=self.session.paths,
            standings=self.session.standings,
            total=self.session.total,
            place_of=lambda each: each.place,
            request_of=lambda each: each.used,
            is_reversed=True,
        )
        while (each := order.pop()) is not None:
            pods = victim_unit(each.job.groups, each.gone)
            is_known = not known.isdisjoint(pods)
            gone = each.gone | (known.intersection(each.job.pods) if is_known else set(pods))
            rest = _candidate(each.job, gone)
            if any(pod.is_active and pod not in gone for pod in each.job.pods):
                order.push(each.job.queue, rest)
            if not is_known:
                yield Victim(job=each.job, pods=pods)

    def _note(self, victim: Victim, refused: Refused) -> None:
        if len(self.verdicts) < _MOST_VERDICTS:
            self.verdicts.append(
                VictimVerdict(
                    workload=victim.job.name,
                    queue=victim.job.queue,
                    hurdle=refused.hurdle,
                    refusal=refused.refusal,
                )
            )


def _is_gone(pod: Pod) -> bool:
    """Return whether an evicted pod did not stay in its place."""
    former = pod.former
    return former is None or (pod.state, pod.node, pod.devices) != former


def chunks_of(victim: Victim, running: Iterable[Pod]) -> Iterator[tuple[Pod, ...]]:
    """
    Yield the pods that a workload loses, in parts: those above its minimum one by one, then others.

    *running* are its pods before the loss.
    """
    lost = set(victim.pods)
    active = set(running)
    core: list[Pod] = []
    for group in victim.job.groups:
        count = sum(pod in active for pod in group.pods)
        mine = [pod for pod in group.pods if pod in lost]
        above = min(len(mine), max(0, count - group.minimum))
        for pod in reversed(mine[len(mine) - above :]):
            yield (pod,)
        core.extend(mine[: len(mine) - above])
    if core:
        yield tuple(core)


def _with_first(job: Job, unit: Sequence[Pod]) -> Job:
    """Return *job* as if it consisted of some of its pods, all of which start together."""
    groups = []
    for group in job.groups:
        pods = [pod for pod in group.pods if pod in unit]
        if pods:
            groups.append(PodGroup(name=group.name, minimum=len(pods), pods=pods))
    return replace(job, groups=groups)


def _candidate(job: Job, gone: frozenset[Pod]) -> _Candidate:
    left = [
        PodGroup(
            name=group.name,
            minimum=group.minimum,
            pods=[pod for pod in group.pods if pod not in gone],
        )
        for group in job.groups
    ]
    place = Precedence(
        priority=job.priority, elasticity=elasticity(left), created=job.created, id=job.name
    ).key()
    used = requested(pod for group in left for pod in group.pods if pod.is_active)
    return _Candidate(job, gone, used, place)


def _pods_of(victims: Iterable[Victim], chosen: Callable[[Pod], bool]) -> tuple[Victim, ...]:
    """Return the victims with those of their pods that are *chosen*, one for each workload."""
    pods: dict[Job, list[Pod]] = {}
    for each in victims:
        pods.setdefault(each.job, []).extend(pod for pod in each.pods if chosen(pod))
    return tuple(Victim(job=job, pods=tuple(some)) for job, some in pods.items() if some)
