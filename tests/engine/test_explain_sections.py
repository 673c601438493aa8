"""A discipline extends explanations with stages and headlines from its own trace section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from console.engine.explain import explain, mentioned
from console.engine.explain.compared import compare
from console.engine.explain.explain_sections import ExplainSections, Stage
from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.model.common_reasons import BEHIND_OTHERS, QUEUE_HELD
from console.engine.model.trace import Trace
from console.engine.model.trace_sections import TraceSection
from tests.engine.explanation_traces import ALONE, trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Tickets(TraceSection):
    """Trace section of a made-up lottery discipline."""

    ticket: int = 0
    winner: str = "w9"


def _tickets(told: Trace) -> Tickets:
    found = told.sections["lottery"]
    assert isinstance(found, Tickets)
    return found


def _drawing(context: ExplainContext) -> StageText:
    found = _tickets(context.trace)
    text = f"Ticket {found.ticket} lost to {context.name(found.winner)}."
    return stage_text("drawing", Verdict.FAIL, [Sentence(text=text, workloads=(found.winner,))])


def _facts(context: ExplainContext) -> Iterator[tuple[str, str]]:
    yield "Ticket", str(_tickets(context.trace).ticket)


def _no_order(_: ExplainContext) -> StageText:
    return stage_text("order", Verdict.INFO, [Sentence(text="A lottery has no order.")])


class Lottery:
    """A discipline with only the part that explanations need."""

    def explain_sections(self) -> ExplainSections:
        return ExplainSections(
            stages=(
                Stage(code="drawing", words=_drawing, facts=_facts),
                Stage(code="order", words=_no_order),
            ),
            headlines={BEHIND_OTHERS: lambda context: f"No luck yet in {context.queue}."},
            mentioned=lambda told: (_tickets(told).winner,),
        )


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    disciplines = {"lottery": Lottery()}
    name = "console.engine.explain.disciplines.load_discipline"
    monkeypatch.setattr(name, disciplines.__getitem__)


DRAWN = replace(trace(BEHIND_OTHERS, queue=ALONE), sections={"lottery": Tickets(ticket=7)})


def test_stages_of_a_discipline_extend_or_replace_common_ones() -> None:
    told = explain(DRAWN, {"w9": "sweep"})
    assert told.headline == "No luck yet in train."
    stages = {each.stage: [sentence.text for sentence in each.sentences] for each in told.stages}
    assert list(stages) == ["intake", "queue", "drawing", "order", "outcome"]
    assert stages["drawing"] == ["Ticket 7 lost to sweep."]
    assert stages["order"] == ["A lottery has no order."]
    assert mentioned(DRAWN) == {"w9"}


def test_headlines_of_a_discipline_apply_to_its_reasons() -> None:
    held = replace(DRAWN, outcome=replace(DRAWN.outcome, reason=QUEUE_HELD))
    assert explain(held).headline == "Waiting: train is on hold and admits nothing new."


def test_facts_of_a_discipline_are_compared_in_its_stages() -> None:
    without = replace(DRAWN, sections={})
    found = compare(ExplainContext(without, {}), ExplainContext(DRAWN, {}))
    assert [(row.stage, row.what, row.one, row.other) for row in found if not row.is_same] == [
        ("drawing", "Ticket", "—", "7"),
        (
            "outcome",
            "Outcome",
            "Waiting in train: it would fit, but workloads ahead of it go first.",
            "No luck yet in train.",
        ),
    ]
