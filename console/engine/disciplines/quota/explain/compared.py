"""Rows of the comparison of two workloads: the flavors tried and the search for victims."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from console.engine.disciplines.quota.trace import (
    FlavorTried,
    PreemptionVerdict,
    QuotaCheck,
    quota_facts,
)
from console.engine.explain.compared_facts import MOST_ROWS, preempted_workloads
from console.engine.explain.sentences import ExplainContext
from console.engine.model.trace import FlavorVerdict
from console.engine.wording.words import amount, failed_expression, quantity, resource_name

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


def flavor_answers(context: ExplainContext) -> Iterator[tuple[str, str]]:
    """Yield the verdict of each flavor, with the arithmetic of each resource."""
    return islice(_flavors(context), MOST_ROWS)


def preemption_answers(context: ExplainContext) -> Iterator[tuple[str, str]]:
    """Yield the result of the search for workloads to preempt."""
    step = quota_facts(context.trace).preemption
    found = preempted_workloads(context)
    if step is not None and not context.trace.outcome.victims:
        found = _PREEMPTION_WORDS.get(step.verdict, "candidates found")
    yield "Preempted workloads", found


def _flavors(context: ExplainContext) -> Iterator[tuple[str, str]]:
    for group in quota_facts(context.trace).groups:
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
