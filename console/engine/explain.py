"""
From facts to sentences: the way from labels to outcome in words, stage by stage.

`explain` turns a trace into a headline and, stage by stage, the sentences that
lead to it. Every sentence that a line of the config caused carries its origin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from console.engine.amounts import Amount, format_amount
from console.engine.decision import Outcome, Reason
from console.engine.headline import headline
from console.engine.origin import Origin
from console.engine.trace import (
    CandidateVerdict,
    FlavorTried,
    FlavorVerdict,
    PreemptionVerdict,
    PriorityStep,
    PriorityVerdict,
    QuotaCheck,
    RuleTried,
    RuleVerdict,
    Trace,
)
from console.engine.words import (
    amount,
    amounts,
    failed_expression,
    listed,
    out_of_range,
    plural,
    priority_range,
    sentence_case,
)


class Verdict(StrEnum):
    """How a stage or a single fact speaks for admission."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    INFO = "info"
    #: Not looked at.
    SKIP = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One fact in words."""

    text: str
    verdict: Verdict = Verdict.INFO
    #: The lines of the config that decided it.
    origin: Origin | None = None
    #: The numbers in it by name; amounts in thousandths, "unlimited" for no limit.
    numbers: Mapping[str, int | str] = field(default_factory=dict)
    #: Ids of other workloads it speaks of.
    workloads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StageText:
    """One stage of the way from labels to outcome."""

    stage: str
    verdict: Verdict
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A trace in words: one plain sentence on top, then the stages in order."""

    headline: str
    reason: Reason
    stages: tuple[StageText, ...]


def explain(trace: Trace, names: Mapping[str, str] | None = None) -> Explanation:
    """
    Word a trace. *names* has display names of workloads by id; others show their id.

    Raises nothing: a trace of any known version has words.
    """
    words = _Words(trace, names or {})
    return Explanation(
        headline=headline(trace, words.names),
        reason=trace.outcome.reason,
        stages=tuple(stage for stage in words.stages() if stage.sentences),
    )


def mentioned(trace: Trace) -> set[str]:
    """Return the ids of all other workloads that a trace speaks of."""
    ids = set(trace.outcome.victims)
    if trace.preemption is not None:
        ids |= {candidate.workload for candidate in trace.preemption.candidates}
    if trace.preempted is not None:
        ids.add(trace.preempted.preemptor)
    return ids


@dataclass(frozen=True, slots=True)
class _Words:
    trace: Trace
    names: Mapping[str, str]

    def stages(self) -> Iterator[StageText]:
        yield self._intake()
        yield self._route()
        yield self._priority()
        yield self._queue()
        yield self._flavors()
        yield self._preemption()
        yield self._order()
        yield self._outcome()

    def _intake(self) -> StageText:
        trace = self.trace
        labels = ", ".join(f"{key}={value}" for key, value in sorted(trace.labels.items()))
        asks = amounts(trace.requests) or "nothing"
        wish = (
            "no priority"
            if trace.requested_priority is None
            else (f"priority {trace.requested_priority}")
        )
        texts = (f"Labels: {labels or 'none'}.", f"Asks for {asks}, with {wish} requested.")
        return _stage("intake", Verdict.INFO, [Sentence(text=text) for text in texts])

    def _route(self) -> StageText:
        if not self.trace.rules:
            if self.trace.outcome.reason is not Reason.NO_RULES:
                return _stage("route", Verdict.INFO, [])
            text = "The config has no scheduling rules, so everything is admitted."
            return _stage("route", Verdict.PASS, [Sentence(text=text, verdict=Verdict.PASS)])
        sentences = [self._rule(rule) for rule in self.trace.rules]
        took = self.trace.rules[-1].verdict is RuleVerdict.TOOK
        return _stage("route", Verdict.PASS if took else Verdict.FAIL, sentences)

    def _rule(self, rule: RuleTried) -> Sentence:
        name = f"Rule {rule.index + 1} (to {rule.queue})"
        match rule.verdict:
            case RuleVerdict.TOOK:
                return Sentence(text=f"{name} takes it.", verdict=Verdict.PASS, origin=rule.origin)
            case RuleVerdict.PRIORITY_OUT_OF_RANGE:
                text = f"{name} matches, but does not accept its priority."
                return Sentence(text=text, verdict=Verdict.FAIL, origin=rule.origin)
            case RuleVerdict.SELECTOR_FALSE:
                assert rule.failed is not None
                text = f"{name} does not match: it asks for {failed_expression(rule.failed)}."
                origin = rule.failed.origin or rule.origin
                return Sentence(text=text, verdict=Verdict.FAIL, origin=origin)

    def _priority(self) -> StageText:
        steps = self.trace.priorities
        sentences = [_priority_sentence(step) for step in steps]
        passed = bool(steps) and steps[-1].effective is not None
        return _stage("priority", Verdict.PASS if passed else Verdict.FAIL, sentences)

    def _queue(self) -> StageText:
        step = self.trace.queue
        if step is None:
            return _stage("queue", Verdict.INFO, [])
        if step.held:
            text, verdict = f"{step.name} is on hold: it admits nothing new.", Verdict.FAIL
        elif step.passthrough:
            text, verdict = f"{step.name} has no quota: it admits everything.", Verdict.PASS
        else:
            text, verdict = f"{step.name} admits by quota.", Verdict.PASS
        sentence = Sentence(text=text, verdict=verdict, origin=step.origin)
        return _stage("queue", verdict, [sentence])

    def _flavors(self) -> StageText:
        sentences = [
            sentence
            for group in self.trace.groups
            for flavor in group.flavors
            for sentence in _flavor_sentences(flavor)
        ]
        if self.trace.uncovered:
            resources = listed(self.trace.uncovered)
            verb = "is" if len(self.trace.uncovered) == 1 else "are"
            text = f"{resources} {verb} covered by no resource group and not limited."
            sentences.append(Sentence(text=text))
        if self.trace.outcome.outcome is Outcome.ADMITTED:
            verdict = Verdict.PASS
        else:
            verdict = Verdict.FAIL if self.trace.groups else Verdict.INFO
        return _stage("flavors", verdict, sentences)

    def _preemption(self) -> StageText:
        sentences: list[Sentence] = []
        verdict = Verdict.FAIL
        if self.trace.preempted is not None:
            step = self.trace.preempted
            text = (
                f"{self._name(step.preemptor)} asks for {amounts(step.preemptor_requests)} with "
                f"priority {step.preemptor_priority}; {step.queue} may preempt ({step.rule})."
            )
            sentences.append(
                Sentence(
                    text=text, verdict=verdict, origin=step.origin, workloads=(step.preemptor,)
                )
            )
        if self.trace.preemption is not None:
            found = self.trace.preemption.verdict is PreemptionVerdict.FOUND
            verdict = Verdict.PASS if found else Verdict.FAIL
            sentences += self._search()
        return _stage("preemption", verdict, sentences)

    def _search(self) -> list[Sentence]:
        step = self.trace.preemption
        assert step is not None
        # Some of those that had to stop may have stopped since.
        listed = sum(c.verdict is CandidateVerdict.TARGET for c in step.candidates)
        count = max(listed, len(self.trace.outcome.victims))
        match step.verdict:
            case PreemptionVerdict.NOT_ALLOWED:
                text = f"Preemption within the queue is {step.rule}, so nobody is stopped for it."
            case PreemptionVerdict.NOT_ENOUGH:
                text = "Stopping every workload that may be stopped would not make enough room."
            case PreemptionVerdict.FOUND:
                text = f"Stopping {plural(count, 'workload')} makes enough room."
        found = step.verdict is PreemptionVerdict.FOUND
        verdict = Verdict.PASS if found else Verdict.FAIL
        sentences = [Sentence(text=text, verdict=verdict, origin=step.origin)]
        for candidate in step.candidates:
            frees = ", ".join(
                f"{format_amount(amount)} {place}" for place, amount in candidate.frees.items()
            )
            name = f"{self._name(candidate.workload)} (priority {candidate.priority})"
            text = f"{name} {_CANDIDATES[candidate.verdict]}"
            text += f"; it holds {frees}." if frees else "."
            target = candidate.verdict is CandidateVerdict.TARGET
            sentences.append(
                Sentence(
                    text=text,
                    verdict=Verdict.PASS if target else Verdict.SKIP,
                    workloads=(candidate.workload,),
                )
            )
        if step.more_candidates:
            text = f"{plural(step.more_candidates, 'more running workload')} not listed here."
            sentences.append(Sentence(text=text))
        return sentences

    def _order(self) -> StageText:
        step = self.trace.order
        if step is None:
            return _stage("order", Verdict.INFO, [])
        texts = [
            f"Position {step.position} of {step.pending} in the queue.",
            "Priority goes first, then submission; a later one may overtake what does not fit.",
        ]
        if step.alike > 1:
            texts.append(f"{step.alike} pending workloads are alike and wait for the same.")
        numbers = {"position": step.position, "pending": step.pending, "alike": step.alike}
        return _stage(
            "order", Verdict.INFO, [Sentence(text=text, numbers=numbers) for text in texts]
        )

    def _outcome(self) -> StageText:
        verdicts = {
            Outcome.ADMITTED: Verdict.PASS,
            Outcome.PENDING: Verdict.INFO,
            Outcome.PREEMPTED: Verdict.FAIL,
            Outcome.REJECTED: Verdict.FAIL,
            Outcome.WITHDRAWN: Verdict.INFO,
        }
        outcome = self.trace.outcome
        verdict = verdicts[outcome.outcome]
        text = headline(self.trace, self.names)
        sentences = [Sentence(text=text, verdict=verdict, workloads=outcome.victims)]
        for resource, flavor in sorted(outcome.assignment.items()):
            sentences.append(Sentence(text=f"{resource} comes from {flavor}."))
        return _stage("outcome", verdict, sentences)

    def _name(self, workload: str) -> str:
        return self.names.get(workload, workload)


_CANDIDATES = {
    CandidateVerdict.TARGET: "has to stop",
    CandidateVerdict.NOT_NEEDED: "need not stop: the others free enough",
    CandidateVerdict.PRIORITY_NOT_LOWER: "may not be stopped: its priority is not lower",
    CandidateVerdict.OTHER_CAPACITY: "would not help: it holds nothing that is short",
    CandidateVerdict.NOT_ENOUGH: "may be stopped, which is not enough",
    CandidateVerdict.DEPARTING: "is already stopping",
}


def _flavor_sentences(flavor: FlavorTried) -> Iterator[Sentence]:
    if flavor.verdict is FlavorVerdict.NOT_REACHED:
        yield Sentence(
            text=f"{flavor.flavor} was not looked at.",
            verdict=Verdict.SKIP,
            origin=flavor.origin,
        )
    elif flavor.failed is not None:
        yield Sentence(
            text=f"{flavor.flavor} does not match: it asks for {failed_expression(flavor.failed)}.",
            verdict=Verdict.FAIL,
            origin=flavor.failed.origin or flavor.origin,
        )
    for check in flavor.checks:
        yield _check_sentence(flavor, check)


def _check_sentence(flavor: FlavorTried, check: QuotaCheck) -> Sentence:
    need = amount(check.requested, check.resource)
    sum_ = f"{format_amount(check.nominal)} nominal - {format_amount(check.used)} used"
    if check.promised:
        sum_ += f" - {format_amount(check.promised)} promised"
    arithmetic = f"{need} of {sum_} = {format_amount(check.available)} available"
    endings = {
        FlavorVerdict.FITS: "fits",
        FlavorVerdict.EXCEEDS_MAX: f"more than the {format_amount(check.maximum)} it can ever have",
        FlavorVerdict.PREEMPT: f"{format_amount(check.missing)} short, preemption could free it",
        FlavorVerdict.WAITS_FOR_PREEMPTED: (
            f"{format_amount(check.missing)} short until preempted workloads have stopped"
        ),
        FlavorVerdict.NO_CANDIDATES: f"{format_amount(check.missing)} short",
    }
    return Sentence(
        text=f"{flavor.flavor}: {arithmetic}: {endings[check.verdict]}.",
        verdict=Verdict.PASS if check.verdict is FlavorVerdict.FITS else Verdict.FAIL,
        origin=check.origin or flavor.origin,
        numbers={
            "requested": check.requested,
            "nominal": _number(check.nominal),
            "used": check.used,
            "promised": check.promised,
            "available": _number(check.available),
            "maximum": _number(check.maximum),
            "missing": check.missing,
        },
    )


def _priority_sentence(step: PriorityStep) -> Sentence:
    rule = f"Rule {step.rule + 1}"
    match step.verdict:
        case None:
            text = f"{sentence_case(out_of_range(step))}, so the next rule is tried."
        case PriorityVerdict.REQUESTED:
            text = f"Priority {step.effective}, as requested."
        case PriorityVerdict.DEFAULT:
            text = f"Priority {step.effective}: none was requested, and {rule} gives this default."
        case PriorityVerdict.ZERO:
            text = f"Priority 0: none was requested, and {rule} has no default."
        case PriorityVerdict.FORCED:
            asked = "none" if step.requested is None else str(step.requested)
            text = (
                f"Priority {step.effective}: {asked} was requested, "
                f"and {rule} accepts {priority_range(step)}."
            )
    verdict = Verdict.FAIL if step.verdict is None else Verdict.PASS
    return Sentence(text=text, verdict=verdict, origin=step.origin)


def _stage(stage: str, verdict: Verdict, sentences: Iterable[Sentence]) -> StageText:
    return StageText(stage=stage, verdict=verdict, sentences=tuple(sentences))


def _number(amount: Amount) -> int | str:
    return amount if isinstance(amount, int) else "unlimited"
