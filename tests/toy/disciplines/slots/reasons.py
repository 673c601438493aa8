"""The reasons of the discipline, with their headlines."""

from __future__ import annotations

from typing import Final

from console.engine.disciplines.slots.trace import checks_of
from console.engine.explain.sentences import ExplainContext
from console.engine.model.reasons import Reason, ReasonClass, Shortage, register
from console.engine.wording.words import amount, listed, quantity


def _short(context: ExplainContext) -> str:
    parts = [
        f"it requests {amount(each.requested, each.resource)}, "
        f"{quantity(each.requested - each.missing, each.resource)} of "
        f"{quantity(each.limit, each.resource)} free now"
        for each in checks_of(context.trace)
        if each.missing
    ]
    return f"Waiting in {context.queue}: {listed(parts) or 'the limit is reached'}."


def _exceeds(context: ExplainContext) -> str:
    parts = [
        f"it requests {amount(each.requested, each.resource)}, and the limit is "
        f"{quantity(each.limit, each.resource)}"
        for each in checks_of(context.trace)
        if each.requested > each.limit
    ]
    return f"Rejected by {context.queue}: {listed(parts) or 'it exceeds the limit'}."


WITHIN_LIMIT: Final = register(
    Reason(
        "within_limit",
        label="Within the limit",
        reason_class=ReasonClass.RUNNING,
        headline="Admitted in {queue}: its request fits the limit.",
    )
)
LIMIT_REACHED: Final = register(
    Reason(
        "limit_reached",
        label="Limit reached",
        reason_class=ReasonClass.WAITING,
        headline=_short,
        advice="Wait, or finish running workloads of the line.",
        shortage=Shortage.NOW,
    )
)
EXCEEDS_LIMIT: Final = register(
    Reason(
        "exceeds_limit",
        label="Exceeds the limit",
        reason_class=ReasonClass.REJECTED,
        headline=_exceeds,
        advice="Request less, or have the limit raised.",
        shortage=Shortage.ALWAYS,
    )
)
