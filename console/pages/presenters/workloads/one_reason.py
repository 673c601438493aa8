"""Data of the page about all workloads with one reason: causes, most frequent first."""

from __future__ import annotations

from dataclasses import dataclass

from console.engine.model.reasons import reason_of
from console.engine.wording.reasons import reason_message, reason_title
from console.engine.wording.words import amounts
from console.pages.presenters.workloads.groups import total_text
from console.pages.presenters.workloads.workload import Fact, Stage, facts_of, stages_of
from console.workloads.advice import is_tried_again
from console.workloads.models import Workload
from console.workloads.reason_causes import MOST_READ, Cause, ReasonCauses


@dataclass(frozen=True, slots=True, kw_only=True)
class CausePanel:
    """One cause with the explanation of an example."""

    number: int
    count: int
    headline: str
    example: Workload
    stages: tuple[Stage, ...]
    fixes: tuple[Fact, ...]
    version: int
    #: Whether the engine can compute changes that would start the example.
    is_waiting: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRow:
    """Other pending workloads with the same queue, priority and request."""

    queue: str
    priority: int
    wants: str
    why: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonPage:
    """Data of the page."""

    reason: str
    title: str
    #: Advice to the submitter, or empty.
    advice: str
    queue: str
    total: str
    #: How the causes were determined, in one sentence.
    note: str
    causes: tuple[CausePanel, ...]
    others: tuple[KindRow, ...]


def reason_page(found: ReasonCauses) -> ReasonPage:
    """Return the data of the page for *found*."""
    return ReasonPage(
        reason=found.reason,
        title=reason_title(found.reason),
        advice=reason_of(found.reason).advice,
        queue=found.queue or "",
        total=total_text(found.total),
        note=_note(found),
        causes=tuple(
            _panel(number, cause, found) for number, cause in enumerate(found.causes, start=1)
        ),
        others=tuple(
            KindRow(
                queue=each.queue,
                priority=each.priority,
                wants=amounts(each.requests) or "nothing",
                why=reason_message(found.reason, each.missing),
                count=each.count,
            )
            for each in found.others
        ),
    )


def _note(found: ReasonCauses) -> str:
    if not found.causes:
        return "No workload with this reason can be explained now."
    if found.is_waiting:
        kinds = "one group" if found.kinds == 1 else f"{found.kinds} groups"
        return (
            f"They form {kinds} by queue, priority and requests. One example explains each group."
        )
    causes = "one cause" if found.kinds == 1 else f"{found.kinds} causes"
    return f"Up to {MOST_READ} of the newest workloads were read; they have {causes}."


def _panel(number: int, cause: Cause, found: ReasonCauses) -> CausePanel:
    return CausePanel(
        number=number,
        count=cause.count,
        headline=cause.explained.explanation.headline,
        example=cause.example,
        # Each cause may have hundreds of rules.
        stages=stages_of(cause.explained, fold_in=cause.example.uid),
        fixes=facts_of(cause.fixes, {}),
        version=cause.explained.config_version,
        is_waiting=found.is_waiting or is_tried_again(cause.example),
    )
