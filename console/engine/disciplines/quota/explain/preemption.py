"""Texts about preemption: the workloads that one may preempt, and its victims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from console.engine.disciplines.quota.explain.rights import allowed, fair_sharing, where_allowed
from console.engine.disciplines.quota.trace import (
    Candidate,
    CandidateVerdict,
    PreemptionStep,
    PreemptionVerdict,
    quota_facts,
)
from console.engine.explain.preempted import preempted
from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.model.reasons import reason_of
from console.engine.model.trace import Trace
from console.engine.wording.words import listed, places, plural, share

#: Verdicts of candidates that are, or may be, preempted.
_ELIGIBLE = frozenset(
    {CandidateVerdict.TARGET, CandidateVerdict.NOT_NEEDED, CandidateVerdict.NOT_ENOUGH}
)
#: Phrases for one candidate and for several.
_SUMMARIES = {
    CandidateVerdict.PRIORITY_NOT_LOWER: (
        "has the same or a higher priority",
        "have the same or a higher priority",
    ),
    CandidateVerdict.OTHER_CAPACITY: (
        "holds none of the missing quota",
        "hold none of the missing quota",
    ),
    CandidateVerdict.DEPARTING: ("is already stopping", "are already stopping"),
    CandidateVerdict.QUEUE_WITHIN_NOMINAL: (
        "is in a queue within its nominal quota",
        "are in queues within their nominal quota",
    ),
    CandidateVerdict.COHORT_WITHIN_NOMINAL: (
        "is below a cohort within its nominal quota",
        "are below cohorts within their nominal quota",
    ),
    CandidateVerdict.NOT_WHILE_BORROWING: (
        "may not be preempted by a borrower",
        "may not be preempted by a borrower",
    ),
    CandidateVerdict.ABOVE_THRESHOLD: (
        "has too high a priority to be preempted by a borrower",
        "have too high a priority to be preempted by a borrower",
    ),
    CandidateVerdict.SHARE_NOT_LARGER: (
        "is in a branch whose share is not large enough",
        "are in branches whose share is not large enough",
    ),
    CandidateVerdict.NOT_NEWER: (
        "has the same priority and was submitted earlier",
        "have the same priority and were submitted earlier",
    ),
    CandidateVerdict.QUEUE_INACTIVE: (
        "is in a stopped queue",
        "are in stopped queues",
    ),
    CandidateVerdict.STOPPED_BEFORE: (
        "was already preempted twice for it",
        "were already preempted twice for it",
    ),
}


_JUDGMENTS = {
    CandidateVerdict.TARGET: "is preempted",
    CandidateVerdict.NOT_NEEDED: "need not be preempted: the others free enough quota",
    CandidateVerdict.PRIORITY_NOT_LOWER: "may not be preempted: its priority is not lower",
    CandidateVerdict.NOT_NEWER: (
        "may not be preempted: it has the same priority and was submitted earlier"
    ),
    CandidateVerdict.OTHER_CAPACITY: "would not help: it holds none of the missing quota",
    CandidateVerdict.NOT_ENOUGH: "may be preempted, which is not enough",
    CandidateVerdict.DEPARTING: "is already stopping",
    CandidateVerdict.QUEUE_WITHIN_NOMINAL: (
        "may not be preempted: {queue} uses no more than its nominal quota"
    ),
    CandidateVerdict.COHORT_WITHIN_NOMINAL: (
        "may not be preempted: a cohort above {queue} uses no more than its nominal quota"
    ),
    CandidateVerdict.NOT_WHILE_BORROWING: (
        "may not be preempted: {own} would have to borrow for this, and a borrower may not preempt "
        "it"
    ),
    CandidateVerdict.ABOVE_THRESHOLD: (
        "may not be preempted: its priority is above {threshold}, the highest that {own} may "
        "preempt while it borrows"
    ),
    CandidateVerdict.SHARE_NOT_LARGER: "may not be preempted: {shares}",
    CandidateVerdict.QUEUE_INACTIVE: "is not considered: {queue} is stopped or misconfigured",
    CandidateVerdict.STOPPED_BEFORE: "is not considered: it was already preempted twice for it",
}


def preemption(context: ExplainContext) -> StageText:
    """Return the text of the search for victims, and of the workload's own preemption."""
    stage, step = preempted(context), quota_facts(context.trace).preemption
    if step is None:
        return stage
    sentences = [*stage.sentences, *_search(context, step)]
    return stage_text("preemption", _judged(step), sentences)


def candidates(trace: Trace) -> Iterator[str]:
    """Yield the ids of the workloads that the search examined."""
    step = quota_facts(trace).preemption
    if step is not None:
        yield from (candidate.workload for candidate in step.candidates)


def finds_no_candidate(step: PreemptionStep | None) -> bool:
    """
    Return whether a search is known to have found no workload that may be preempted.

    False for a search that lists no candidates: it may have had some.
    """
    if step is None or step.verdict is PreemptionVerdict.FOUND:
        return False
    if step.verdict in (PreemptionVerdict.NOT_ALLOWED, PreemptionVerdict.NOBODY_RUNS):
        return True
    return bool(step.candidates) and not any(c.verdict in _ELIGIBLE for c in step.candidates)


def _search(context: ExplainContext, step: PreemptionStep) -> Iterator[Sentence]:
    yield Sentence(text=_found(context, step), verdict=_judged(step), origin=step.origin)
    if step.needs:
        yield Sentence(text=f"Quota to free: {places(step.needs)}.")
    rights = allowed(context.queue, step)
    if rights is not None:
        yield Sentence(text=rights, origin=step.origin)
    yield from (Sentence(text=text) for text in fair_sharing(context.queue, step))
    for candidate in step.candidates:
        name = context.name(candidate.workload)
        place = f", in {candidate.queue}" if candidate.queue is not None else ""
        text = (
            f"{name} (priority {candidate.priority}{place}) {_judgment(context, step, candidate)}"
        )
        text += f"; it holds {places(candidate.frees)}." if candidate.frees else "."
        target = candidate.verdict is CandidateVerdict.TARGET
        yield Sentence(
            text=text,
            verdict=Verdict.PASS if target else Verdict.SKIP,
            workloads=(candidate.workload,),
        )
    if step.more_candidates:
        text = f"{plural(step.more_candidates, 'more running workload')} not listed here."
        yield Sentence(text=text)


def _found(context: ExplainContext, step: PreemptionStep) -> str:
    if step.verdict is PreemptionVerdict.FOUND:
        # Some victims may have stopped since the decision.
        targets = sum(each.verdict is CandidateVerdict.TARGET for each in step.candidates)
        count = max(targets, len(context.trace.outcome.victims))
        return f"Preempting {plural(count, 'workload')} frees enough quota."
    if step.verdict is PreemptionVerdict.NOT_ALLOWED:
        return f"No workload may be preempted for it: {_why_not_allowed(context.queue, step)}."
    if step.verdict is PreemptionVerdict.NOBODY_RUNS:
        return (
            f"No workload may be preempted for it: none runs {where_allowed(context.queue, step)}."
        )
    if not finds_no_candidate(step):
        return "Preempting every permitted workload would not free enough quota."
    return f"No workload may be preempted for it: {_why_no_candidate(step)}."


def _why_not_allowed(queue: str, step: PreemptionStep) -> str:
    if allowed(queue, step) is None:
        return f"{queue} allows no preemption"
    return f"it would have to borrow, and {queue} may not preempt beyond its nominal quota"


def _why_no_candidate(step: PreemptionStep) -> str:
    counts = Counter(each.verdict for each in step.candidates)
    if len(counts) == 1:
        ((verdict, count),) = counts.items()
        who = f"all {count} running workloads" if count > 1 else "the only running workload"
        return f"{who} considered {_SUMMARIES[verdict][count > 1]}"
    kinds = listed(f"{count} {_SUMMARIES[verdict][count > 1]}" for verdict, count in counts.items())
    return f"of {len(step.candidates)} running workloads considered, {kinds}"


def _judgment(context: ExplainContext, step: PreemptionStep, candidate: Candidate) -> str:
    words = _JUDGMENTS[candidate.verdict]
    if candidate.verdict is CandidateVerdict.TARGET:
        grant = reason_of(candidate.right).preemption_grant if candidate.right else None
        # A preemption within the queue has no text of its own.
        words = grant.target if grant is not None else words
    return words.format(
        queue=candidate.queue or context.queue,
        own=context.queue,
        threshold="the threshold" if step.threshold is None else step.threshold,
        shares=_shares(context, candidate),
    )


def _shares(context: ExplainContext, candidate: Candidate) -> str:
    shares = (candidate.share_before, candidate.share_after, candidate.share)
    before, after, own = (share(each) for each in shares)
    # Without recorded shares, or with all of them unbounded, there are no numbers to show.
    if shares == (None, None, None):
        than = "is larger" if candidate.verdict is CandidateVerdict.TARGET else "is not larger"
        return f"the share of its branch {than} than that of {context.queue}"
    return (
        f"the share of its branch is {before}, {after} without it, and that of {context.queue} "
        f"would be {own}"
    )


def _judged(step: PreemptionStep) -> Verdict:
    return Verdict.PASS if step.verdict is PreemptionVerdict.FOUND else Verdict.FAIL
