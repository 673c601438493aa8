"""The messages of YuniKorn about the same results, by which people search for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from console.engine.disciplines.hierarchy.applications import Message
from console.engine.disciplines.hierarchy.reasons import (
    EXCEEDS_GROUP_LIMIT,
    EXCEEDS_MAXIMUM,
    EXCEEDS_USER_LIMIT,
    GANG_TIMEOUT,
    GANG_TOO_LARGE,
    GROUP_OVER_APPLICATIONS,
    GROUP_QUOTA,
    NOT_CREATED,
    NOT_PLACED,
    OVER_APPLICATIONS,
    PLACEMENT_FAILED,
    PREEMPTED,
    PREEMPTED_ON_NODE,
    QUEUE_QUOTA,
    QUOTA_LOWERED,
    UNSUPPORTED_REQUEST,
    USER_OVER_APPLICATIONS,
    USER_QUOTA,
)
from console.engine.disciplines.hierarchy.trace import facts_of
from console.engine.explain.sentences import ExplainContext
from console.engine.model.reasons import Reason


def original_messages(context: ExplainContext) -> tuple[str, ...]:
    """Return the messages of YuniKorn about the outcome; none if it reports nothing about it."""
    facts, reason = facts_of(context.trace), context.trace.outcome.reason
    if facts.messages:
        return facts.messages
    found = _MESSAGES.get(reason)
    text = found(context) if callable(found) else found
    return (text,) if text else ()


def message_of_reason(reason: str) -> str:
    """Return the message of YuniKorn for all workloads with a reason; empty if there is none."""
    found = _CONSTANT.get(reason)
    return found.value if found is not None else ""


def _rejection(context: ExplainContext) -> str:
    return facts_of(context.trace).rejection


def _preempted(context: ExplainContext) -> str:
    step = context.trace.preempted
    if step is None:
        return ""
    name = context.name(step.preemptor)
    return f"Preempted by {name} from application {name} in {step.queue}"


def _quota_lowered(context: ExplainContext) -> str:
    return f"Preempted by Quota change enforcement process in {context.queue}"


_MESSAGES: Final[Mapping[Reason, str | Callable[[ExplainContext], str]]] = {
    # Details of events, which have no text.
    OVER_APPLICATIONS: "APP_CANNOTRUN_QUEUE",
    USER_OVER_APPLICATIONS: "APP_CANNOTRUN_QUOTA",
    GROUP_OVER_APPLICATIONS: "APP_CANNOTRUN_QUOTA",
    USER_QUOTA: Message.USER_QUOTA,
    GROUP_QUOTA: Message.USER_QUOTA,
    QUEUE_QUOTA: Message.QUEUE_QUOTA,
    EXCEEDS_USER_LIMIT: Message.USER_QUOTA,
    EXCEEDS_GROUP_LIMIT: Message.USER_QUOTA,
    EXCEEDS_MAXIMUM: Message.QUEUE_QUOTA,
    NOT_PLACED: _rejection,
    PLACEMENT_FAILED: _rejection,
    NOT_CREATED: _rejection,
    GANG_TOO_LARGE: _rejection,
    UNSUPPORTED_REQUEST: _rejection,
    GANG_TIMEOUT: "ResourceReservationTimeout",
    PREEMPTED: _preempted,
    PREEMPTED_ON_NODE: _preempted,
    QUOTA_LOWERED: _quota_lowered,
}

#: The messages that do not depend on the workload, by the code of the reason.
_CONSTANT: Final[Mapping[str, Message]] = {
    reason: text for reason, text in _MESSAGES.items() if isinstance(text, Message)
}
