"""
From facts to sentences: the only place that words a decision.

`explain` turns a trace into a headline and, stage by stage, the sentences that
lead to it. Every sentence that a line of the config caused carries its origin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from console.engine.amounts import Amount, format_amount
from console.engine.decision import Outcome, Reason
from console.engine.origin import Origin
from console.engine.trace import (
    CandidateVerdict,
    FailedExpression,
    FlavorTried,
    FlavorVerdict,
    GroupStep,
    PreemptionVerdict,
    PriorityStep,
    PriorityVerdict,
    QuotaCheck,
    RuleTried,
    RuleVerdict,
    Trace,
)


class Verdict(StrEnum):
    """How a stage or a single fact speaks for admission."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    INFO = "info"
    #: Not looked at.
    SKIP = "skip"


class ReasonClass(StrEnum):
    """What kind of answer a reason is, for people and for color."""

    RUNNING = "running"
    REJECTED = "rejected"
    CANNOT_RUN = "cannot_run"
    HELD = "held"
    SOON = "soon"
    WAITING = "waiting"
    UNSEEN = "unseen"
    PREEMPTED = "preempted"


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


_TITLES: dict[Reason, tuple[str, ReasonClass]] = {
    Reason.NO_RULES: ("Admitted without a queue", ReasonClass.RUNNING),
    Reason.PASSTHROUGH: ("Admitted without quota", ReasonClass.RUNNING),
    Reason.QUOTA_RESERVED: ("Quota reserved", ReasonClass.RUNNING),
    Reason.NO_RULE_MATCHED: ("No rule matched", ReasonClass.REJECTED),
    Reason.NO_FLAVOR_MATCHED: ("No flavor matched", ReasonClass.REJECTED),
    Reason.QUEUE_HELD: ("Queue on hold", ReasonClass.HELD),
    Reason.EXCEEDS_MAX_QUOTA: ("Can never run under this config", ReasonClass.CANNOT_RUN),
    Reason.WAITING_FOR_PREEMPTED: ("Starting soon", ReasonClass.SOON),
    Reason.WAITING_FOR_QUOTA: ("Waiting for quota", ReasonClass.WAITING),
    Reason.BEHIND_OTHERS: ("Behind others", ReasonClass.WAITING),
    Reason.NOT_EVALUATED: ("Not looked at yet", ReasonClass.UNSEEN),
    Reason.PREEMPTED_IN_QUEUE: ("Preempted", ReasonClass.PREEMPTED),
}


def reason_title(reason: str) -> str:
    """
    Return the short label of a reason code.

    >>> reason_title("exceeds_max_quota")
    'Can never run under this config'
    """
    return _TITLES[Reason(reason)][0]


def reason_message(reason: str, missing: Mapping[str, int] | None = None) -> str:
    """
    Return a reason code in a few words, with what is *missing* by "flavor/resource" in thousandths.

    >>> reason_message("waiting_for_quota", {"spot/gpu": 8000, "spot/cpu": 500})
    'Waiting for quota: 8 gpu and 0.5 cpu short on spot'
    """
    short: dict[str, list[str]] = {}
    for place, amount in (missing or {}).items():
        flavor, _, resource = place.rpartition("/")
        short.setdefault(flavor, []).append(_amount(amount, resource))
    parts = [f"{_listed(amounts)} short on {flavor}" for flavor, amounts in short.items()]
    return f"{reason_title(reason)}: {', '.join(parts)}" if parts else reason_title(reason)


def reason_class(reason: str) -> ReasonClass:
    """Return what kind of answer a reason code is."""
    return _TITLES[Reason(reason)][1]


def explain(trace: Trace, names: Mapping[str, str] | None = None) -> Explanation:
    """
    Word a trace. *names* has display names of workloads by id; others show their id.

    Raises nothing: a trace of any known version has words.
    """
    words = _Words(trace, names or {})
    return Explanation(
        headline=words.headline(),
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


_EVENTS = {
    "REQUEST_SUBMITTED": "{name} was submitted.",
    "REQUEST_QUEUED": "{name} waits: {reason}.",
    "REQUEST_ADMITTED": "{name} was admitted{on}.",
    "REQUEST_REJECTED": "{name} was rejected: {reason}.",
    "REQUEST_PREEMPTED": "{name} was told to stop for {preemptor}.",
    "REQUEST_REQUEUED": "{name} waits again: {reason}.",
    "REQUEST_RELEASED": "{name} has stopped and gave back its quota.",
    "REQUEST_FULFILLED": "{name} finished.",
    "REQUEST_ABORTED": "{name} was withdrawn.",
}


def event_sentence(kind: str, data: Mapping[str, Any]) -> str:
    """
    Return the sentence of an event, from its type and its stored facts.

    >>> event_sentence("REQUEST_ABORTED", {"name": "train"})
    'train was withdrawn.'
    """
    if kind == "CONFIG_UPDATED":
        return _config_updated(data)
    flavors = sorted(set(data.get("flavors", {}).values()))
    reason = data.get("reason")
    return _EVENTS[kind].format(
        name=data.get("name", "A workload"),
        reason=_lower_first(reason_title(reason)) if reason else "no reason is known",
        on=f" on {_listed(flavors)}" if flavors else "",
        preemptor=data.get("preemptor", "another workload"),
    )


def _config_updated(data: Mapping[str, Any]) -> str:
    version = f"Config version {data['version']}"
    message = f": {data['message']}" if data.get("message") else ""
    if data.get("kind") == "rollback":
        return f"{version} was applied, rolling back from version {data.get('from')}{message}"
    return f"{version} was applied{message}"


@dataclass(frozen=True, slots=True)
class _Words:
    trace: Trace
    names: Mapping[str, str]

    def headline(self) -> str:
        queue = self.trace.queue.name if self.trace.queue is not None else "its queue"
        return _HEADLINES[self.trace.outcome.reason](self, queue)

    def stages(self) -> Iterator[StageText]:
        yield self._intake()
        yield self._route()
        yield self._priority()
        yield self._queue()
        yield self._flavors()
        yield self._preemption()
        yield self._order()
        yield self._outcome()

    # Headlines

    def admitted(self, queue: str) -> str:
        flavors = sorted(set(self.trace.outcome.assignment.values()))
        if not flavors:
            return f"Admitted in {queue}: it asks for nothing that the queue limits."
        return f"Admitted in {queue} on {_listed(flavors)}: its request fits the free quota."

    def no_rule(self, queue: str) -> str:
        count = len(self.trace.rules)
        lead = (
            "Rejected: the only scheduling rule does not take it."
            if count == 1
            else f"Rejected: none of the {count} scheduling rules takes it."
        )
        refused = next((p for p in self.trace.priorities if p.effective is None), None)
        if refused is not None:
            return f"{lead} {_sentence_case(_out_of_range(refused))}."
        for rule in self.trace.rules:
            if rule.failed is not None:
                return f"{lead} Rule {rule.index + 1} asks for {_failed(rule.failed)}."
        return lead

    def no_flavor(self, queue: str) -> str:
        failed = [
            flavor.failed
            for group in self.trace.groups
            for flavor in group.flavors
            if flavor.failed is not None
        ]
        lead = f"Rejected: no flavor of {queue} accepts its labels"
        if len({(f.key, f.operator, f.values) for f in failed}) == 1:
            return f"{lead}; they need {_failed(failed[0])}."
        return f"{lead}."

    def exceeds(self, queue: str) -> str:
        parts = []
        for group in self.trace.groups:
            checks = [
                (flavor.flavor, check)
                for flavor in group.flavors
                for check in flavor.checks
                if check.verdict is FlavorVerdict.EXCEEDS_MAX
            ]
            if not _usable(group) and checks:
                flavor, check = max(checks, key=lambda pair: _rank(pair[1].maximum))
                parts.append(
                    f"it asks for {_amount(check.requested, check.resource)}, and {queue} can "
                    f"never have more than {format_amount(check.maximum)} on {flavor}"
                )
        why = "; ".join(parts) or f"it asks for more than {queue} can ever have"
        return f"Can never run under this config: {why}."

    def short(self, queue: str) -> str:
        parts = []
        for group in self.trace.groups:
            for flavor in group.flavors:
                if flavor.flavor == group.chosen:
                    parts += [
                        f"needs {_amount(check.requested, check.resource)} on {flavor.flavor}, "
                        f"{format_amount(check.available)} free now, "
                        f"{format_amount(check.missing)} short"
                        for check in flavor.checks
                        if check.missing
                    ]
        why = "; ".join(parts) or "what it needs is in use"
        return f"Waiting for quota in {queue}: {why}."

    def soon(self, queue: str) -> str:
        count = len(self.trace.outcome.victims)
        if not count:
            return f"Starting soon in {queue}: it fits as soon as preempted workloads have stopped."
        return (
            f"Starting soon in {queue}: {_plural(count, 'workload')} "
            f"{'is' if count == 1 else 'are'} being stopped to make room."
        )

    def preempted(self, queue: str) -> str:
        step = self.trace.preempted
        if step is None:
            return "Preempted: it was told to stop and holds its quota until it is released."
        return (
            f"Preempted: {self._name(step.preemptor)} with priority {step.preemptor_priority} "
            f"needs its room, and {step.queue} may preempt ({step.rule})."
        )

    # Stages

    def _intake(self) -> StageText:
        trace = self.trace
        labels = ", ".join(f"{key}={value}" for key, value in sorted(trace.labels.items()))
        asks = _amounts(trace.requests) or "nothing"
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
                text = f"{name} does not match: it asks for {_failed(rule.failed)}."
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
            resources = _listed(self.trace.uncovered)
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
                f"{self._name(step.preemptor)} asks for {_amounts(step.preemptor_requests)} with "
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
                text = f"Stopping {_plural(count, 'workload')} makes enough room."
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
            text = f"{_plural(step.more_candidates, 'more running workload')} not listed here."
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
        }
        outcome = self.trace.outcome
        verdict = verdicts[outcome.outcome]
        sentences = [Sentence(text=self.headline(), verdict=verdict, workloads=outcome.victims)]
        for resource, flavor in sorted(outcome.assignment.items()):
            sentences.append(Sentence(text=f"{resource} comes from {flavor}."))
        return _stage("outcome", verdict, sentences)

    def _name(self, workload: str) -> str:
        return self.names.get(workload, workload)


_HEADLINES: dict[Reason, Callable[[_Words, str], str]] = {
    Reason.NO_RULES: lambda _, queue: (
        "Admitted without a queue: the config has no scheduling rules."
    ),
    Reason.PASSTHROUGH: lambda _, queue: f"Admitted: {queue} takes everything without quota.",
    Reason.QUOTA_RESERVED: _Words.admitted,
    Reason.NO_RULE_MATCHED: _Words.no_rule,
    Reason.NO_FLAVOR_MATCHED: _Words.no_flavor,
    Reason.QUEUE_HELD: lambda _, queue: f"Waiting: {queue} is on hold and admits nothing new.",
    Reason.EXCEEDS_MAX_QUOTA: _Words.exceeds,
    Reason.WAITING_FOR_PREEMPTED: _Words.soon,
    Reason.WAITING_FOR_QUOTA: _Words.short,
    Reason.BEHIND_OTHERS: lambda _, queue: (
        f"Waiting in {queue}: it fits alone, but the free quota is promised to others."
    ),
    Reason.NOT_EVALUATED: lambda _, queue: (
        "Not looked at yet: it was submitted and waits for its first evaluation."
    ),
    Reason.PREEMPTED_IN_QUEUE: _Words.preempted,
}

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
            text=f"{flavor.flavor} does not match: it asks for {_failed(flavor.failed)}.",
            verdict=Verdict.FAIL,
            origin=flavor.failed.origin or flavor.origin,
        )
    for check in flavor.checks:
        yield _check_sentence(flavor, check)


def _check_sentence(flavor: FlavorTried, check: QuotaCheck) -> Sentence:
    need = _amount(check.requested, check.resource)
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
            text = f"{_sentence_case(_out_of_range(step))}, so the next rule is tried."
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
                f"and {rule} accepts {_range(step)}."
            )
    verdict = Verdict.FAIL if step.verdict is None else Verdict.PASS
    return Sentence(text=text, verdict=verdict, origin=step.origin)


def _out_of_range(step: PriorityStep) -> str:
    return f"rule {step.rule + 1} accepts {_range(step)}, and priority {step.requested} is outside"


def _range(step: PriorityStep) -> str:
    if step.minimum is None:
        return f"priorities up to {step.maximum}"
    if step.maximum is None:
        return f"priorities from {step.minimum}"
    return f"priorities from {step.minimum} to {step.maximum}"


def _failed(failed: FailedExpression) -> str:
    operator = failed.operator.replace("_", " ")
    asked = f"{failed.key} {operator} {_values(failed)}".strip()
    actual = "the label is absent" if failed.actual is None else f"it is {failed.actual!r}"
    return f"{asked}, and {actual}"


def _values(failed: FailedExpression) -> str:
    shown = ", ".join(failed.values[:5])
    more = len(failed.values) - 5
    return f"[{shown}{f', and {more} more' if more > 0 else ''}]" if shown else ""


def _stage(stage: str, verdict: Verdict, sentences: Iterable[Sentence]) -> StageText:
    return StageText(stage=stage, verdict=verdict, sentences=tuple(sentences))


def _usable(group: GroupStep) -> bool:
    rejected = (
        FlavorVerdict.EXCEEDS_MAX,
        FlavorVerdict.SELECTOR_FALSE,
        FlavorVerdict.NOT_REACHED,
    )
    return any(flavor.verdict not in rejected for flavor in group.flavors)


def _rank(amount: Amount) -> int:
    return amount if isinstance(amount, int) else 1 << 62


def _number(amount: Amount) -> int | str:
    return amount if isinstance(amount, int) else "unlimited"


def _amount(amount: Amount, resource: str) -> str:
    return f"{format_amount(amount)} {resource}"


def _amounts(requests: Mapping[str, int]) -> str:
    return ", ".join(_amount(amount, resource) for resource, amount in sorted(requests.items()))


def _listed(words: Iterable[str]) -> str:
    items = list(words)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
