"""Competitors: workloads that block another one which fits or could preempt, for its trace."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from console.engine.disciplines.quota.candidates import put_back, take_out
from console.engine.disciplines.quota.ledger import QuotaQueue
from console.engine.disciplines.quota.nominate import QuotaNomination, nominate
from console.engine.disciplines.quota.order import Entry, in_order_of_borrowing
from console.engine.disciplines.quota.spec import QuotaSettings
from console.engine.live.live_tree import Target
from console.engine.model.amounts import Usage
from console.engine.model.trace import TurnStep, TurnVerdict
from console.engine.pending.pending_class import Pending

#: The most workloads that the trace of one turn names; more would not add to the explanation.
_MAX_NAMED = 5
#: The most preemptors that are examined for one explanation.
_MAX_EXAMINED = 50

#: The number of preemptors in a queue at which the workloads behind them may no longer preempt.
#: Each preemptor has a turn in every cycle, so many of them would be expensive.
MAX_PREEMPTORS = 8


class Claims:
    """The workloads that took capacity in one cycle, and the preemptor of each victim."""

    def __init__(self) -> None:
        self._took: list[tuple[str, Usage]] = []
        self._stopped_for: dict[str, str] = {}

    def record(self, uid: str, usage: Usage, victims: Iterable[Target] = ()) -> None:
        """Record that workload *uid* takes or reserves *usage*, and that *victims* stop for it."""
        self._took.append((uid, usage))
        for victim in victims:
            self._stopped_for[victim.running.workload.id] = uid

    def claimants_of(self, usage: Usage) -> tuple[str, ...]:
        """Return the workloads that took some of the capacity in *usage*."""
        sharing = (uid for uid, taken in self._took if not usage.keys().isdisjoint(taken))
        return tuple(islice(sharing, _MAX_NAMED))

    def preemptors_of(self, victims: Iterable[str]) -> tuple[str, ...]:
        """Return the preemptors of *victims*, by id."""
        askers = (self._stopped_for[each] for each in victims if each in self._stopped_for)
        return tuple(islice(dict.fromkeys(askers), _MAX_NAMED))


def victims_holding(victims: Iterable[Target], usage: Usage) -> tuple[str, ...]:
    """Return the ids of those *victims* that use some of the capacity in *usage*."""
    holding = (v.running for v in victims if not usage.keys().isdisjoint(v.running.usage))
    return tuple(islice((each.workload.id for each in holding), _MAX_NAMED))


def preemptors_ahead(queue: QuotaQueue, pending: Pending) -> tuple[str, ...]:
    """
    Return the workloads that keep *pending* from preempting; empty when it may preempt.

    Those are the preemptors before it in *queue*, once there are MAX_PREEMPTORS of them.
    """
    place = pending.place
    before = [uid for uid, each in queue.preemptors.items() if each.pending.place < place]
    return tuple(before[:_MAX_NAMED]) if len(before) >= MAX_PREEMPTORS else ()


def blocking_turn(
    queue: QuotaQueue, pending: Pending, nomination: QuotaNomination, settings: QuotaSettings
) -> TurnStep | None:
    """
    Return why competitors keep *pending* of *queue* from its nomination now; None: they do not.

    The competitors are preemptors: they claim their capacity in every cycle. A strict queue with
    another head is reported elsewhere.
    """
    if pending.yields_to is not None:
        return TurnStep(verdict=TurnVerdict.YIELDS, others=(pending.yields_to,))
    if not (nomination.fits or nomination.targets) or _is_behind(queue, pending):
        return None
    ahead_in_queue = () if nomination.fits else preemptors_ahead(queue, pending)
    if ahead_in_queue:
        return TurnStep(verdict=TurnVerdict.CROWDED, others=ahead_in_queue)
    own = Entry(queue, pending, nomination)
    ahead = list(_ahead(own, settings))
    if not ahead:
        return None
    claims = Claims()
    stopping: dict[str, Target] = {}
    for entry in ahead:
        claims.record(entry.pending.workload.id, entry.nomination.usage, entry.nomination.targets)
        stopping |= {target.running.workload.id: target for target in entry.nomination.targets}
    wanted = [target.running.workload.id for target in nomination.targets]
    if not stopping.keys().isdisjoint(wanted):
        others = claims.preemptors_of(wanted)
        return TurnStep(verdict=TurnVerdict.VICTIMS_TAKEN, others=others)
    stopping |= {target.running.workload.id: target for target in nomination.targets}
    if _has_room(own, ahead, stopping.values()):
        return None
    return TurnStep(verdict=TurnVerdict.OVERTAKEN, others=claims.claimants_of(nomination.usage))


def _is_behind(queue: QuotaQueue, pending: Pending) -> bool:
    return queue.pending.is_strict and queue.first() is not pending


def _ahead(own: Entry, settings: QuotaSettings) -> Iterator[Entry]:
    """Yield the preemptors that have their turn before *own*."""
    waiting = (
        (queue, preemptor)
        for queue in own.queue.tree.queues
        if queue.barrier is None
        for preemptor in queue.preemptors.values()
        if preemptor.pending is not own.pending
    )
    competitors = []
    for queue, preemptor in islice(waiting, _MAX_EXAMINED):
        found = preemptor.nomination
        if not isinstance(found, QuotaNomination):
            found = nominate(queue, preemptor.pending, settings)
        competitors.append(Entry(queue, preemptor.pending, found))
    if settings.fair_sharing:
        # The smallest share goes first, and every turn changes the shares.
        yield from competitors
        return
    for entry in in_order_of_borrowing([*competitors, own]):
        if entry is own:
            return
        yield entry


def _has_room(own: Entry, ahead: list[Entry], stopping: Collection[Target]) -> bool:
    """Return whether *own* fits once *stopping* have stopped and *ahead* have their claims."""
    for target in stopping:
        take_out(target.running, target.queue)
    for entry in ahead:
        _charge(entry, 1)
    fits = own.queue.account.has_room(own.nomination.usage)
    for entry in ahead:
        _charge(entry, -1)
    for target in stopping:
        put_back(target.running, target.queue)
    return fits


def _charge(entry: Entry, sign: int) -> None:
    for key, amount in entry.nomination.usage.items():
        entry.queue.account.cell(key).add(sign * amount)
