"""Explanation of the limit check: the stage that compares the request with the limit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from console.engine.disciplines.slots.trace import LimitCheck, checks_of
from console.engine.explain.explain_sections import ExplainSections, Stage
from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.wording.words import amount, quantity, resource_name


def _limit(context: ExplainContext) -> StageText:
    found = checks_of(context.trace)
    fails = any(each.missing for each in found)
    verdict = Verdict.FAIL if fails else Verdict.PASS
    return stage_text("limit", verdict, (_sentence(context, each) for each in found))


def _sentence(context: ExplainContext, check: LimitCheck) -> Sentence:
    used = quantity(check.used, check.resource)
    text = (
        f"{context.queue} uses {used} of {amount(check.limit, check.resource)}, and "
        f"{quantity(check.requested, check.resource)} is requested"
    )
    if not check.missing:
        return Sentence(text=f"{text}: it fits.", verdict=Verdict.PASS)
    missing = quantity(check.missing, check.resource)
    return Sentence(text=f"{text}: {missing} short.", verdict=Verdict.FAIL)


def _facts(context: ExplainContext) -> Iterator[tuple[str, str]]:
    for each in checks_of(context.trace):
        free = quantity(max(0, each.limit - each.used), each.resource)
        asked = quantity(each.requested, each.resource)
        yield f"{resource_name(each.resource)} within the limit", f"{asked} of {free} free"


EXPLAIN_SECTIONS: Final = ExplainSections(stages=(Stage(code="limit", words=_limit, facts=_facts),))
