"""Builders of minimal traces, and of the sentences that explain them."""

from __future__ import annotations

from dataclasses import fields

from console.engine.disciplines.quota.reasons import WAITING_FOR_QUOTA
from console.engine.disciplines.quota.trace import (
    QUOTA,
    FlavorTried,
    GroupStep,
    QuotaCheck,
    QuotaFacts,
)
from console.engine.explain import Explanation, StageText, explain
from console.engine.model.decision import Outcome
from console.engine.model.origin import Origin
from console.engine.model.reasons import Reason
from console.engine.model.trace import FlavorVerdict, OutcomeStep, QueueStep, Trace

LINE = Origin(3, 1, 3, 9)
OTHER_LINE = Origin(7, 1, 7, 9)

#: A queue without a cohort, and a queue in a cohort.
ALONE = QueueStep(name="train", passthrough=False)
SHARING = QueueStep(name="train", passthrough=False, path=("ml", "org"))


def trace(
    reason: Reason = WAITING_FOR_QUOTA, outcome: Outcome = Outcome.PENDING, **stages: object
) -> Trace:
    """Return a trace with an outcome and only the given stages."""
    ending = OutcomeStep(outcome=outcome, reason=reason)
    found = {each.name: stages.pop(each.name) for each in fields(QuotaFacts) if each.name in stages}
    return Trace(
        workload="w",
        labels={},
        requests={},
        requested_priority=None,
        sections={QUOTA: QuotaFacts(**found)},  # type: ignore[arg-type]
        **({"outcome": ending} | stages),  # type: ignore[arg-type]
    )


def stage(explanation: Explanation, name: str) -> StageText:
    """Return one stage."""
    return next(each for each in explanation.stages if each.stage == name)


def stage_sentences(told: Trace, name: str, names: dict[str, str] | None = None) -> list[str]:
    """Return the sentences of one stage of a trace."""
    return [
        sentence.text
        for each in explain(told, names).stages
        if each.stage == name
        for sentence in each.sentences
    ]


def lines(told: Trace, name: str) -> list[tuple[str, str, int | None]]:
    """Return verdict, sentence and line number of each sentence of one stage."""
    return [
        (each.verdict.value, each.text, each.origin and each.origin.line)
        for each in stage(explain(told), name).sentences
    ]


def check(verdict: FlavorVerdict, **numbers: object) -> QuotaCheck:
    """Return a quota check of 3 requested GPUs, with 4 nominal and 2.5 used."""
    values = {
        "resource": "gpu",
        "requested": 3000,
        "nominal": 4000,
        "used": 2500,
        "available": 1500,
        "maximum": 4000,
        "missing": 0 if verdict is FlavorVerdict.FITS else 1500,
    }
    return QuotaCheck(**(values | numbers), verdict=verdict)  # type: ignore[arg-type]


def walk(*tried: FlavorTried | QuotaCheck, chosen: str | None = "a100") -> tuple[GroupStep, ...]:
    """Return the evaluation of flavors; a quota check alone is that of flavor a100."""
    flavors = tuple(
        FlavorTried(flavor="a100", verdict=each.verdict, checks=(each,))
        if isinstance(each, QuotaCheck)
        else each
        for each in tried
    )
    return (GroupStep(resources=("gpu",), flavors=flavors, chosen=chosen),)
