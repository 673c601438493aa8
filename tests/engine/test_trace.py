"""Traces are stored with decisions: what was written must be read for ever."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from console.engine.amounts import UNLIMITED, Unlimited
from console.engine.decision import Reason
from console.engine.explain import explain
from console.engine.trace import TRACE_VERSION, Trace, trace_from_json, trace_to_json

STORED = Path(__file__).parents[1] / "traces"

st.register_type_strategy(Unlimited, st.just(UNLIMITED))


@settings(max_examples=100, deadline=None)
@given(st.from_type(Trace))
def test_a_trace_comes_back_from_json_as_it_was(trace: Trace) -> None:
    stored = json.loads(json.dumps(trace_to_json(trace)))
    assert trace_from_json(stored) == trace


@given(version=st.one_of(st.none(), st.integers(TRACE_VERSION + 1)))
def test_a_trace_of_an_unknown_version_is_refused(version: int | None) -> None:
    with pytest.raises(ValueError, match=f"^trace version {version} is not known"):
        trace_from_json({"version": version})


def stored_traces() -> list[pytest.param]:
    return [
        pytest.param(stored, id=f"{path.stem}-{stored['outcome']['reason']}")
        for path in sorted(STORED.glob("version-*.json"))
        for stored in json.loads(path.read_text("utf-8"))
    ]


@pytest.mark.parametrize("stored", stored_traces())
def test_a_stored_trace_is_still_read_and_explained(stored: dict[str, object]) -> None:
    trace = trace_from_json(stored)
    explanation = explain(trace)
    assert explanation.reason is trace.outcome.reason
    assert explanation.headline
    assert [stage.stage for stage in explanation.stages][-1] == "outcome"
    if stored["version"] == TRACE_VERSION:
        assert trace_to_json(trace) == stored


def test_every_reason_has_a_stored_trace_in_the_present_version() -> None:
    stored = json.loads((STORED / f"version-{TRACE_VERSION}.json").read_text("utf-8"))
    reasons = {each["outcome"]["reason"] for each in stored}
    # Rows know this one before any engine has looked; it has no trace.
    assert reasons == set(Reason) - {Reason.NOT_EVALUATED}
