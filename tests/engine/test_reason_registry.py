"""The registry of reasons: registration, rejected codes, and unknown codes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator

import pytest

from console.engine.explain import headline_of
from console.engine.model.common_reasons import QUEUE_HELD
from console.engine.model.decision import Outcome
from console.engine.model.reasons import (
    Reason,
    ReasonClass,
    reason_of,
    register,
    registered_reasons,
    unregister,
)
from console.engine.model.stored_trace import trace_from_json, trace_to_json
from console.engine.model.trace import OutcomeStep, QueueStep, Trace
from console.engine.wording.reasons import event_sentence, reason_class, reason_message


def made_up(headline: object) -> Reason:
    return Reason(
        "limit_reached",
        label="Limit reached",
        reason_class=ReasonClass.WAITING,
        headline=headline,
    )


@pytest.fixture(
    params=["Waiting in {queue}: its limit is reached.", lambda t: f"Waiting for {t.trace.labels}."]
)
def limit_reached(request: pytest.FixtureRequest) -> Iterator[Reason]:
    reason = register(made_up(request.param))
    yield reason
    unregister(reason)


def trace_with(reason: Reason) -> Trace:
    return Trace(
        workload="w",
        labels={"team": "a"},
        requests={},
        requested_priority=None,
        queue=QueueStep(name="lab", passthrough=False),
        outcome=OutcomeStep(outcome=Outcome.PENDING, reason=reason),
    )


def test_a_registered_reason_is_known_everywhere(limit_reached: Reason) -> None:
    assert reason_of("limit_reached") is limit_reached
    assert limit_reached in registered_reasons()
    assert reason_class("limit_reached") is ReasonClass.WAITING
    assert reason_message("limit_reached", {"spot/gpu": 8000}) == "Limit reached"
    told = event_sentence("REQUEST_QUEUED", {"name": "sweep", "reason": "limit_reached"})
    assert told == "sweep is queued: limit reached."


def test_headline_is_a_format_or_a_function_of_the_trace(limit_reached: Reason) -> None:
    expected = {
        True: "Waiting in lab: its limit is reached.",
        False: "Waiting for {'team': 'a'}.",
    }
    found = headline_of(trace_with(limit_reached))
    assert found == expected[isinstance(limit_reached.headline, str)]


def test_stored_trace_restores_the_reason(limit_reached: Reason) -> None:
    stored = trace_to_json(trace_with(limit_reached))
    assert stored["outcome"] == {"outcome": "pending", "reason": "limit_reached"}
    assert trace_from_json(stored).outcome.reason is limit_reached


def test_a_code_that_is_not_registered_is_its_own_label() -> None:
    found = trace_from_json(trace_to_json(trace_with(made_up(None)))).outcome.reason
    shown = (found, found.label, found.reason_class, found.advice, found.cannot_run)
    assert shown == ("limit_reached", "limit_reached", ReasonClass.UNKNOWN, "", False)
    assert found not in registered_reasons()
    assert headline_of(trace_with(found)) == "limit_reached."


def test_a_reason_without_a_headline_has_its_label() -> None:
    assert headline_of(trace_with(made_up(None))) == "Limit reached."


def test_reasons_are_in_the_order_of_their_classes() -> None:
    found = registered_reasons()
    order = list(ReasonClass)
    assert list(found) == sorted(found, key=lambda each: (order.index(each.reason_class), each))


@pytest.mark.parametrize("code", ["", "Limit", "limit reached", "1st", "x" * 33])
def test_invalid_code_is_rejected(code: str) -> None:
    with pytest.raises(ValueError, match="has at most 32 small letters"):
        register(Reason(code, label="L", reason_class=ReasonClass.WAITING))


def test_a_code_is_registered_once() -> None:
    with pytest.raises(ValueError, match="'queue_held' is registered already"):
        register(Reason("queue_held", label="L", reason_class=ReasonClass.WAITING))


def test_copies_are_the_same_reason() -> None:
    assert copy.deepcopy(QUEUE_HELD) is QUEUE_HELD
    assert pickle.loads(pickle.dumps(QUEUE_HELD)) is QUEUE_HELD  # noqa: S301


@pytest.mark.parametrize(
    ("reason_class", "cannot_run", "expected"),
    [
        (ReasonClass.WAITING, None, False),
        (ReasonClass.CANNOT_RUN, None, True),
        (ReasonClass.REJECTED, None, False),
        (ReasonClass.REJECTED, True, True),
    ],
)
def test_cannot_run_follows_from_the_reason_class(
    reason_class: ReasonClass, cannot_run: bool | None, expected: bool
) -> None:
    made = Reason("code", label="L", reason_class=reason_class, cannot_run=cannot_run)
    assert made.cannot_run is expected
