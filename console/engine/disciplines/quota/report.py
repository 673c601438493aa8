"""
The report: a nomination with all details, for explanations.

It uses the functions of the real search, and records for every running workload that it
examines why it was chosen or not. This is too expensive for every decision, so it is made
on demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

from console.engine.disciplines.quota.candidates import Search, put_back, take_out
from console.engine.disciplines.quota.classical import Candidate as Possible
from console.engine.disciplines.quota.classical import Candidates
from console.engine.disciplines.quota.competitors import blocking_turn
from console.engine.disciplines.quota.fair import Judged, candidates_by_node, find_fair
from console.engine.disciplines.quota.ledger import QuotaQueue
from console.engine.disciplines.quota.modes import NoFit
from console.engine.disciplines.quota.nominate import QuotaNomination, nominate
from console.engine.disciplines.quota.pools import with_pools
from console.engine.disciplines.quota.spec import FairStrategy, PreemptionRule, QuotaSettings
from console.engine.disciplines.quota.trace import (
    Candidate,
    CandidateVerdict,
    GroupStep,
    PreemptionStep,
    PreemptionVerdict,
)
from console.engine.disciplines.quota.victim_eligibility import ineligible_victims, searched_queues
from console.engine.live.live_tree import Target
from console.engine.live.running import Running
from console.engine.model.amounts import FlavorResource
from console.engine.model.reasons import Reason
from console.engine.model.trace import TurnStep
from console.engine.pending.pending_class import Pending

#: The most running workloads that a report lists, unless there are more victims.
LISTED = 20

#: A running workload, its queue, and the verdict of the search.
_Judgment: TypeAlias = tuple[Running, QuotaQueue, CandidateVerdict]


@dataclass(frozen=True, slots=True)
class Report:
    """A nomination at one moment, with all details."""

    groups: tuple[GroupStep, ...]
    preemption: PreemptionStep | None
    turn: TurnStep | None
    usage: Mapping[FlavorResource, int]
    undeclared: str | None
    counts: Mapping[str, int]
    is_lasting: bool
    pending_reason: Reason


def report(queue: QuotaQueue, pending: Pending, settings: QuotaSettings) -> Report:
    """Return what would happen to *pending* now, and why, without changing anything."""
    found = nominate(queue, pending, settings)
    return Report(
        groups=with_pools(found.groups, queue.account),
        preemption=_search_in_full(queue, pending, found.reported),
        turn=blocking_turn(queue, pending, found, settings),
        usage=found.reported.usage,
        undeclared=found.undeclared,
        counts=found.counts,
        is_lasting=found.is_lasting,
        pending_reason=found.pending_reason,
    )


def _search_in_full(
    queue: QuotaQueue, pending: Pending, nomination: QuotaNomination
) -> PreemptionStep | None:
    """Return the search of *nomination* with all examined workloads; None: it needed no search."""
    step = nomination.preemption
    if nomination.result.no_fit is NoFit.WAITING_FOR_QUOTA:
        # The workload would have to borrow, and its queue may not preempt to borrow.
        return nomination.search
    if step is None or step.verdict is PreemptionVerdict.NOT_ALLOWED:
        return step
    search = Search(
        queue,
        pending.workload.id,
        pending.priority,
        pending.workload.sequence,
        nomination.usage,
        nomination.result.short,
    )
    strategies, targets = nomination.strategies, nomination.targets
    judged: Judged = {}
    if strategies:
        eligible = list(_judged_fairly(search, strategies, targets, judged))
    else:
        eligible = list(_judged_classically(search, targets))
    chosen = {target.running.workload.id for target in targets}
    others = [each for each in eligible if each[0].workload.id not in chosen]
    room = max(0, LISTED - len(targets))
    listed = others[:room]
    if len(listed) < room:
        known = chosen | {running.workload.id for running, _, _ in eligible}
        walks = [
            ineligible_victims(search, each, known.__contains__, is_fair=bool(strategies))
            for each in searched_queues(queue)
        ]
        listed += islice(_round_robin(walks), room - len(listed))
    written = [*step.candidates, *(_candidate(search, *each) for each in listed)]
    candidates = tuple(_with_shares(each, judged) for each in written)
    total = sum(each.running_count for each in searched_queues(queue))
    return replace(
        step,
        verdict=step.verdict if total else PreemptionVerdict.NOBODY_RUNS,
        needs=_needs(search),
        candidates=candidates,
        more_candidates=max(0, total - len(candidates)),
    )


def _needs(search: Search) -> dict[str, int]:
    """Return the amounts that have to become free, including usage beyond the quota."""
    needs = {}
    for key in sorted(search.short):
        available = search.queue.account.available(key)
        if isinstance(available, int):
            needs["/".join(key)] = search.usage[key] - available
    return {place: amount for place, amount in needs.items() if amount > 0}


def _judged_classically(search: Search, targets: tuple[Target, ...]) -> Iterator[_Judgment]:
    """Yield every candidate in the order of the search (spec 7.2, 7.3)."""
    borrows = not _fits_without_borrowing(search, targets)
    spared = CandidateVerdict.NOT_NEEDED if targets else CandidateVerdict.NOT_ENOUGH
    for each in Candidates(search).sequence():
        verdict = spared
        if each.running.evicting:
            verdict = CandidateVerdict.DEPARTING
        elif each.only_without_borrowing and borrows:
            verdict = _verdict_of_borrower(search, each)
        yield each.running, each.queue, verdict


def _fits_without_borrowing(search: Search, targets: tuple[Target, ...]) -> bool:
    """Return whether *targets* free enough nominal quota; False without targets."""
    for target in targets:
        take_out(target.running, target.queue)
    fits = bool(targets) and search.fits(borrowing=False)
    for target in targets:
        put_back(target.running, target.queue)
    return fits


def _verdict_of_borrower(search: Search, candidate: Possible) -> CandidateVerdict:
    if search.rules.borrow_within_cohort is PreemptionRule.NEVER:
        return CandidateVerdict.NOT_WHILE_BORROWING
    if candidate.running.priority >= search.priority:
        return CandidateVerdict.PRIORITY_NOT_LOWER
    return CandidateVerdict.ABOVE_THRESHOLD


def _judged_fairly(
    search: Search,
    strategies: tuple[FairStrategy, ...],
    targets: tuple[Target, ...],
    judged: Judged,
) -> Iterator[_Judgment]:
    """Yield every candidate, those decided by shares first (spec 7.7 to 7.10)."""
    find_fair(search, strategies, judged)
    spared = CandidateVerdict.NOT_NEEDED if targets else CandidateVerdict.NOT_ENOUGH
    offered = {
        running.workload.id: (running, search.queue.tree.at[node])
        for node, offers in candidates_by_node(search).items()
        for running in offers
    }
    for uid in dict.fromkeys([*judged, *offered]):
        running, queue = offered[uid]
        shares = judged.get(uid)
        if running.evicting:
            yield running, queue, CandidateVerdict.DEPARTING
        elif shares is not None and not shares.allow:
            yield running, queue, CandidateVerdict.SHARE_NOT_LARGER
        else:
            yield running, queue, spared


def _round_robin(walks: Iterable[Iterator[_Judgment]]) -> Iterator[_Judgment]:
    """Yield from each walk in turn, so that every queue is represented."""
    left = list(walks)
    while left:
        unfinished = []
        for walk in left:
            found = next(walk, None)
            if found is not None:
                yield found
                unfinished.append(walk)
        left = unfinished


def _candidate(
    search: Search, running: Running, queue: QuotaQueue, verdict: CandidateVerdict
) -> Candidate:
    return Candidate(
        workload=running.workload.id,
        priority=running.priority,
        verdict=verdict,
        frees={"/".join(key): n for key, n in running.usage.items() if key in search.short},
        queue=queue.name if queue is not search.queue else None,
    )


def _with_shares(candidate: Candidate, judged: Judged) -> Candidate:
    shares = judged.get(candidate.workload)
    if shares is None:
        return candidate
    return replace(
        candidate,
        share=shares.ours.thousandths(),
        share_before=shares.before.thousandths(),
        share_after=shares.after.thousandths(),
    )
