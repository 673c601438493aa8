"""The actions of a session: allocate, consolidate, reclaim, preempt, and evict stale gangs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from console.engine.disciplines.fairshare.gangs import (
    Pod,
    PodState,
    is_ready,
    requested,
    start_unit,
)
from console.engine.disciplines.fairshare.gates import Refusal, quota_refusal
from console.engine.disciplines.fairshare.min_runtime import (
    MinRuntimes,
    is_protected,
    may_be_considered,
)
from console.engine.disciplines.fairshare.nomination import Attempt, Hurdle, Search
from console.engine.disciplines.fairshare.prospects import nodes_with_prospects
from console.engine.disciplines.fairshare.reclaim import (
    Loss,
    ReclaimCheck,
    Reclaimer,
    ReclaimRefusal,
    Step,
    may_try,
)
from console.engine.disciplines.fairshare.session import Job, Placement, Session
from console.engine.disciplines.fairshare.spec import PlacementStrategy
from console.engine.disciplines.fairshare.turn_order import TurnOrder
from console.engine.disciplines.fairshare.victim_search import (
    Refused,
    Validator,
    Victim,
    VictimSearch,
    chunks_of,
)
from console.engine.disciplines.fairshare.workload_order import may_preempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Pods of a job that start now, or wait for others to stop."""

    job: Job
    pods: tuple[Pod, ...]
    waits: bool
    #: For which search the victims were found; None: no victim is needed.
    search: Search | None = None
    victims: tuple[Victim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A job whose pods found no room, or were not allowed any."""

    job: Job
    placement: Placement | None = None
    attempt: Attempt | None = None


def waiting_jobs(session: Session) -> list[Job]:
    """Return the jobs with pods that may start."""
    return [
        job
        for job in session.jobs.values()
        if job.queue in session.paths
        and is_ready(job.groups)
        and any(pod.state is PodState.PENDING for pod in job.pods)
    ]


def allocate(session: Session, order: TurnOrder[Job]) -> Iterator[Start | Failure]:
    """
    Start what fits, in the *order* of turns; a job that does not fit delays no other.

    A job with further pods takes part again after each start. The session is changed before each
    result is yielded, and the caller may add jobs to *order* in between.
    """
    while (job := order.pop()) is not None:
        unit = start_unit(job.groups)
        placement = session.place(job, unit)
        if not placement.is_complete:
            yield Failure(job=job, placement=placement)
            continue
        session.commit()
        order.changed(job.queue)
        yield Start(job=job, pods=unit, waits=placement.waits)
        if any(pod.state is PodState.PENDING for pod in job.pods):
            order.push(job.queue, job)


def consolidate(session: Session, order: TurnOrder[Job]) -> Iterator[Start | Failure]:
    """
    Move workloads to other nodes for others, if all of them find a place there.

    The jobs of *order* are preemptible, as is every job that is moved.
    """
    settings = session.spec.settings
    if settings.gpu_placement is PlacementStrategy.SPREAD:
        return

    def search(job: Job) -> tuple[VictimSearch, None]:
        movable = [
            each for each in session.movable if each is not job and session.may_take(job, each)
        ]
        nodes = nodes_with_prospects(session, start_unit(job.groups), movable)
        return VictimSearch(
            session=session, candidates=movable, validate=_only_moved, nodes=nodes
        ), None

    yield from _search_all(session, Search.CONSOLIDATE, order, search)


def reclaim(session: Session, order: TurnOrder[Job]) -> Iterator[Start | Failure]:
    """Take room from other queues for jobs whose queue stays within its fair share."""
    runtimes = MinRuntimes(tree=session.spec.tree, settings=session.spec.settings)
    limits_reclaim = runtimes.limit_reclaim

    def search(job: Job) -> tuple[VictimSearch, ReclaimRefusal | None]:
        nothing = VictimSearch(session=session, candidates=(), validate=_only_moved)
        refused = may_try(session.standings[job.queue], _reclaimer(job, start_unit(job.groups)))
        if refused is not None:
            return nothing, refused

        def protects(victim: Job) -> bool:
            if victim.started is None or not limits_reclaim:
                return False
            runtime = runtimes.across_queues(job.queue, victim.queue)
            return is_protected(victim.started, runtime, session.now)

        losers = session.losers(job.queue, requested(start_unit(job.groups)))
        if not losers and not session.moves_by_reclaim:
            return nothing, ReclaimRefusal(step=Step.ENTITLED, queue=job.queue)
        candidates = [
            each
            for queue, some in session.running_by_queue.items()
            if queue != job.queue
            for each in some
            if session.may_take(job, each) and _may_be_considered(each, protected=protects(each))
        ]
        nodes = None
        if not session.moves_by_reclaim:
            nodes = nodes_with_prospects(session, start_unit(job.groups), candidates, losers)
        found = VictimSearch(
            session=session,
            candidates=candidates,
            validate=_reclaim_validator(session, job, protects),
            nodes=nodes,
        )
        if nodes is not None and not nodes:
            found.note_protected(_protected(session, losers, protects))
        return found, None

    yield from _search_all(session, Search.RECLAIM, order, search)


def preempt(session: Session, order: TurnOrder[Job]) -> Iterator[Start | Failure]:
    """Take room from workloads of the same queue with a lower priority."""
    runtimes = MinRuntimes(tree=session.spec.tree, settings=session.spec.settings)

    def search(job: Job) -> tuple[VictimSearch, Refusal | None]:
        refused = None
        if not job.is_preemptible:
            path = session.path_standings(job.queue)
            refused = quota_refusal(path, requested(start_unit(job.groups)))
        if refused is not None:
            return VictimSearch(session=session, candidates=(), validate=_only_moved), refused
        runtime = runtimes.within_queue(job.queue)

        def protects(victim: Job) -> bool:
            return is_protected(victim.started, runtime, session.now)

        candidates = [
            each
            for each in session.running_by_queue.get(job.queue, ())
            if may_preempt(job.priority, each.priority, is_victim_preemptible=True)
            and session.may_take(job, each)
            and _may_be_considered(each, protected=protects(each))
        ]

        def validate(unit: Sequence[Pod], losses: Sequence[Victim]) -> Refused | None:
            return _protection(losses, protects)

        found = VictimSearch(session=session, candidates=candidates, validate=validate)
        if not candidates:
            found.note_protected(
                each
                for each in _protected(session, (job.queue,), protects)
                if each.priority < job.priority
            )
        return found, None

    yield from _search_all(session, Search.PREEMPT, order, search)


def evict_stale(session: Session, is_due: Callable[[Job], bool]) -> Iterator[Victim]:
    """Evict the running pods of jobs that are *due* and have fewer than their minimum."""
    for job in list(session.jobs.values()):
        active = tuple(pod for pod in job.pods if pod.is_active)
        if not active or any(pod.state is PodState.SUCCEEDED for pod in job.pods):
            continue
        is_short = any(
            sum(pod.is_active for pod in group.pods) < group.minimum for group in job.groups
        )
        if is_short and is_due(job):
            for pod in active:
                session.evict(job, pod)
            session.commit()
            yield Victim(job=job, pods=active)


def _search_all(
    session: Session,
    kind: Search,
    order: TurnOrder[Job],
    search: Callable[[Job], tuple[VictimSearch, ReclaimRefusal | Refusal | None]],
) -> Iterator[Start | Failure]:
    """Search victims for one start unit of each job, in the *order* of turns."""
    failed: set[object] = set()
    while (job := order.pop()) is not None:
        if job.signature is not None and (job.queue, job.signature) in failed:
            continue
        unit = start_unit(job.groups)
        found, refused = search(job)
        victims = None if refused is not None else found.run(job)
        if victims is None:
            failed.add((job.queue, job.signature))
            attempt = Attempt(
                search=kind,
                refusal=refused,
                candidates=len(found.candidates),
                verdicts=tuple(found.verdicts),
            )
            yield Failure(job=job, attempt=attempt)
            continue
        session.commit()
        for queue in dict.fromkeys([job.queue, *(each.job.queue for each in victims)]):
            if queue in session.paths:
                order.changed(queue)
        yield Start(job=job, pods=unit, waits=True, search=kind, victims=victims)


def _protected(
    session: Session, queues: Iterable[str], protects: Callable[[Job], bool]
) -> Iterator[Job]:
    """Yield the running jobs of *queues* that may lose no pod because they started too recently."""
    for queue in sorted(queues):
        for each in session.running_by_queue.get(queue, ()):
            if protects(each) and not _may_be_considered(each, protected=True):
                yield each


def _only_moved(unit: Sequence[Pod], losses: Sequence[Victim]) -> Refused | None:
    return Refused(hurdle=Hurdle.NO_ROOM) if losses else None


def _reclaim_validator(session: Session, job: Job, protects: Callable[[Job], bool]) -> Validator:
    # The check compares queues as they stood before the first victim.
    check = ReclaimCheck(
        tree=session.spec.tree,
        standings=dict(session.standings),
        saturation_multiplier=session.spec.settings.saturation_multiplier,
    )

    def validate(unit: Sequence[Pod], losses: Sequence[Victim]) -> Refused | None:
        if refused := _protection(losses, protects):
            return refused
        found = check.refusal(_reclaimer(job, unit), _losses(losses))
        if found is None:
            return None
        return Refused(hurdle=Hurdle.NOT_RECLAIMABLE, refusal=found)

    return validate


def _losses(victims: Sequence[Victim]) -> list[Loss]:
    """Return what each queue loses, in the order of the victims."""
    chunks: dict[str, list[tuple[Pod, ...]]] = {}
    for victim in victims:
        running = [*victim.pods, *(pod for pod in victim.job.pods if pod.is_active)]
        chunks.setdefault(victim.job.queue, []).extend(chunks_of(victim, running))
    return [
        Loss(queue=queue, chunks=[requested(each) for each in some])
        for queue, some in chunks.items()
    ]


def _protection(losses: Sequence[Victim], protects: Callable[[Job], bool]) -> Refused | None:
    """Return PROTECTED if a protected workload would fall below its minimum."""
    for victim in losses:
        left = (sum(pod.is_active for pod in group.pods) for group in victim.job.groups)
        short = (
            count < group.minimum for count, group in zip(left, victim.job.groups, strict=True)
        )
        if any(short) and protects(victim.job):
            return Refused(hurdle=Hurdle.PROTECTED)
    return None


def _may_be_considered(job: Job, *, protected: bool) -> bool:
    return not protected or any(
        may_be_considered(
            sum(pod.is_active for pod in group.pods), group.minimum, protected=protected
        )
        for group in job.groups
    )


def _reclaimer(job: Job, unit: Sequence[Pod]) -> Reclaimer:
    return Reclaimer(queue=job.queue, request=requested(unit), is_preemptible=job.is_preemptible)
