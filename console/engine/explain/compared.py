"""Two traces side by side: what was the same and what was not, stage by stage, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from console.engine.explain.headline import headline
from console.engine.explain.order import turn
from console.engine.explain.route import local_queue_problem
from console.engine.explain.sentences import Telling
from console.engine.model.trace import (
    FlavorTried,
    FlavorVerdict,
    PreemptionVerdict,
    QuotaCheck,
    RuleVerdict,
    Trace,
)
from console.engine.wording.words import (
    amount,
    failed_expression,
    plural,
    quantity,
    resource_name,
    sentence_case,
)

#: Labels and flavors that are compared one by one.
MOST_ROWS = 60

_NOTHING = "—"

_FLAVOR_WORDS = {
    FlavorVerdict.FLAVOR_MISSING: "not defined in the config",
    FlavorVerdict.SELECTOR_FALSE: "does not accept the labels",
    FlavorVerdict.TAINT_NOT_TOLERATED: "its taint is not tolerated",
    FlavorVerdict.LABELS_DO_NOT_MATCH: "the pods require other nodes",
    FlavorVerdict.NOT_NOMINATED: "another flavor was found first",
    FlavorVerdict.PASSED_BEFORE: "tried in an earlier turn",
    FlavorVerdict.EXCEEDS_MAX: "more than the queue can ever have",
    FlavorVerdict.NO_ROOM: "not enough quota",
    FlavorVerdict.NO_CANDIDATES: "not enough quota, and no workload may be preempted",
    FlavorVerdict.PREEMPT: "fits with preemption",
    FlavorVerdict.RECLAIM: "fits by reclaiming quota",
    FlavorVerdict.FITS: "fits",
    FlavorVerdict.NOT_REACHED: "not reached",
}
_PREEMPTION_WORDS = {
    PreemptionVerdict.NOT_ALLOWED: "its queue may not preempt",
    PreemptionVerdict.NOBODY_RUNS: "no running workload may be preempted",
    PreemptionVerdict.NOT_ENOUGH: "preempting all permitted workloads is not enough",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One question about both, and how each answers it."""

    stage: str
    what: str
    one: str
    other: str

    @property
    def is_same(self) -> bool:
        """Whether both answer alike."""
        return self.one == self.other


def compare(one: Telling, other: Telling) -> tuple[Compared, ...]:
    """Return the questions that both traces answer, in the order of the stages."""
    first = {(stage, what): text for stage, what, text in _answers(one)}
    second = {(stage, what): text for stage, what, text in _answers(other)}
    ordered = sorted({**first, **second}, key=lambda key: _STAGES.index(key[0]))
    return tuple(
        Compared(
            stage=key[0],
            what=key[1],
            one=first.get(key, _NOTHING),
            other=second.get(key, _NOTHING),
        )
        for key in ordered
    )


_STAGES = ("intake", "route", "priority", "queue", "flavors", "preemption", "order", "outcome")


def _answers(telling: Telling) -> Iterator[tuple[str, str, str]]:
    trace = telling.trace
    for key, value in sorted(trace.labels.items())[:MOST_ROWS]:
        yield "intake", f"Label {key}", value
    for resource, asked in sorted(trace.requests.items()):
        yield "intake", f"Requested {resource_name(resource)}", quantity(asked, resource)
    yield "route", "Routed by", _route(trace)
    yield from _priority(trace)
    if trace.queue is not None:
        yield "queue", "Queue", _queue(trace)
    for what, text in list(_flavors(trace))[:MOST_ROWS]:
        yield "flavors", what, text
    yield "preemption", "Preempted workloads", _preemption(telling)
    yield from _order(telling)
    yield "outcome", "Outcome", headline(telling)


def _route(trace: Trace) -> str:
    took = next((rule for rule in trace.rules if rule.verdict is RuleVerdict.TOOK), None)
    if took is not None:
        return f"rule {took.index + 1}, to {took.queue}"
    if trace.local_queue is not None:
        step = trace.local_queue
        if step.queue is not None:
            default = " (default)" if step.default else ""
            return (
                f"local queue {step.name}{default} of namespace {step.namespace}, to {step.queue}"
            )
        return local_queue_problem(step)
    return "no rule"


def _priority(trace: Trace) -> Iterator[tuple[str, str, str]]:
    asked = "none" if trace.requested_priority is None else str(trace.requested_priority)
    yield "priority", "Requested", asked
    got = [step for step in trace.priorities if step.effective is not None]
    if got:
        yield "priority", "Effective", str(got[-1].effective)


def _queue(trace: Trace) -> str:
    queue = trace.queue
    assert queue is not None
    stops = " on hold" if queue.held else " stopped by its config" if queue.stopped else ""
    return f"{queue.name}{',' if stops else ''}{stops}"


def _flavors(trace: Trace) -> Iterator[tuple[str, str]]:
    for group in trace.groups:
        for tried in group.flavors:
            if not tried.checks:
                yield f"Flavor {tried.flavor}", _without_checks(tried)
            for check in tried.checks:
                yield f"{resource_name(check.resource)} on {tried.flavor}", _arithmetic(check)


def _without_checks(tried: FlavorTried) -> str:
    words = _FLAVOR_WORDS[tried.verdict]
    return f"{words}: {failed_expression(tried.failed)}" if tried.failed is not None else words


def _arithmetic(check: QuotaCheck) -> str:
    asked = amount(check.requested + check.assumed, check.resource)
    free = quantity(check.available, check.resource)
    short = f", {quantity(check.missing, check.resource)} short" if check.missing else ""
    used = quantity(check.used, check.resource)
    nominal = quantity(check.nominal, check.resource)
    return (
        f"{asked} of {free} available ({used} used, {nominal} nominal){short}: "
        f"{_FLAVOR_WORDS[check.verdict]}"
    )


def _preemption(telling: Telling) -> str:
    step = telling.trace.preemption
    victims = telling.trace.outcome.victims
    if victims:
        return plural(len(victims), "workload")
    if step is None:
        return "no search"
    return _PREEMPTION_WORDS.get(step.verdict, "candidates found")


def _order(telling: Telling) -> Iterator[tuple[str, str, str]]:
    trace = telling.trace
    if trace.order is not None:
        place = trace.order.position
        text = "none: it can never run" if place is None else f"{place} of {trace.order.pending}"
        yield "order", "Position", text
    if trace.turn is not None:
        yield "order", "Its turn", sentence_case(turn(telling, trace.turn))
