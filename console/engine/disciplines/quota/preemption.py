"""Preemption within a queue: the smallest set of running workloads whose end makes room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from console.engine.disciplines.quota.flavors import Books
from console.engine.ledger import FlavorResource
from console.engine.policy import PreemptionRule, Queue
from console.engine.running import Running, RunningLine
from console.engine.trace import Candidate, CandidateVerdict, PreemptionStep, PreemptionVerdict

#: How many candidates a trace lists; the rest is counted.
LISTED = 20


@dataclass(frozen=True, slots=True)
class Preemptor:
    """A workload that looks for room: where, with what priority, and what it would hold."""

    queue: Queue
    priority: int
    usage: Mapping[FlavorResource, int]
    #: Flavor-resources that lack room: a candidate has to hold one of them.
    short: frozenset[FlavorResource]


def find_targets(books: Books, line: RunningLine, preemptor: Preemptor) -> tuple[Running, ...]:
    """
    Return the workloads to stop so that *preemptor* fits, or nothing when no set would do.

    Candidates are stopped in order until it fits; then each but the last is put
    back, latest first, and stays when it still fits (Kueue, spec 7.1). The
    result is minimal: with any one of them back there is not enough room.
    Judged on the expected ledger, which is left as it was.
    """
    name, expected = preemptor.queue.name, books.expected
    targets: list[Running] = []
    fits = False
    for candidate in _candidates(line, preemptor):
        expected.remove(name, candidate.usage)
        targets.append(candidate)
        fits = _fits(books, preemptor)
        if fits:
            break
    if fits:
        for candidate in reversed(targets[:-1]):
            expected.add(name, candidate.usage)
            if _fits(books, preemptor):
                targets.remove(candidate)
            else:
                expected.remove(name, candidate.usage)
    for target in targets:
        expected.add(name, target.usage)
    return tuple(targets) if fits else ()


def describe_search(
    line: RunningLine, preemptor: Preemptor, targets: tuple[Running, ...]
) -> PreemptionStep:
    """Return the search as facts: the running workloads with a verdict each, at most LISTED."""
    rule = preemptor.queue.preemption
    if rule.within_queue is PreemptionRule.NEVER:
        return PreemptionStep(
            rule=rule.within_queue.value,
            verdict=PreemptionVerdict.NOT_ALLOWED,
            origin=rule.origin or preemptor.queue.origin,
        )
    listed: list[Candidate] = []
    for running in chain(line.below(preemptor.priority), line.at_or_above(preemptor.priority)):
        if len(listed) == LISTED:
            break
        frees = {
            f"{flavor}/{resource}": amount
            for (flavor, resource), amount in running.usage.items()
            if (flavor, resource) in preemptor.short
        }
        if running in targets:
            verdict = CandidateVerdict.TARGET
        elif running.departing:
            verdict = CandidateVerdict.DEPARTING
        elif running.priority >= preemptor.priority:
            verdict = CandidateVerdict.PRIORITY_NOT_LOWER
        elif not frees:
            verdict = CandidateVerdict.OTHER_CAPACITY
        elif targets:
            verdict = CandidateVerdict.NOT_NEEDED
        else:
            verdict = CandidateVerdict.NOT_ENOUGH
        listed.append(
            Candidate(
                workload=running.workload.id,
                priority=running.priority,
                verdict=verdict,
                frees=frees,
            )
        )
    return PreemptionStep(
        rule=rule.within_queue.value,
        verdict=PreemptionVerdict.FOUND if targets else PreemptionVerdict.NOT_ENOUGH,
        candidates=tuple(listed),
        more_candidates=len(line) - len(listed),
        origin=rule.origin or preemptor.queue.origin,
    )


def _candidates(line: RunningLine, preemptor: Preemptor) -> Iterator[Running]:
    if preemptor.queue.preemption.within_queue is PreemptionRule.NEVER:
        return
    for running in line.below(preemptor.priority):
        # A departing workload is out of the expected ledger already.
        if not running.departing and not preemptor.short.isdisjoint(running.usage):
            yield running


def _fits(books: Books, preemptor: Preemptor) -> bool:
    node = books.expected.queue(preemptor.queue.name)
    return all(amount <= node.available(key) for key, amount in preemptor.usage.items())
