"""Traces are stored with decisions: what was written must be read for ever."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import console.engine.model.policy as policy
import console.engine.model.trace as facts
from console.engine.explain import explain
from console.engine.model.amounts import UNLIMITED, Unlimited
from console.engine.model.common_reasons import NOT_EVALUATED
from console.engine.model.decision import Outcome
from console.engine.model.reasons import Reason, registered_reasons
from console.engine.model.stored_trace import TRACE_VERSION, trace_from_json, trace_to_json
from console.engine.model.trace import Trace

STORED = Path(__file__).parents[1] / "traces"
PRESENT = json.loads((STORED / f"version-{TRACE_VERSION}.json").read_text("utf-8"))

st.register_type_strategy(Unlimited, st.just(UNLIMITED))
st.register_type_strategy(Reason, st.sampled_from(registered_reasons()))


def full(hint: Any) -> st.SearchStrategy[Any]:
    """Return values of a field's type that are not empty, as far as there are any."""
    if get_origin(hint) is tuple:
        return st.lists(full(get_args(hint)[0]), min_size=1, max_size=3).map(tuple)
    present = [each for each in get_args(hint) if each is not type(None)]
    return st.from_type(present[0] if type(None) in get_args(hint) else hint)


@pytest.mark.parametrize("stage", [each.name for each in fields(Trace)])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_a_trace_comes_back_from_json_as_it_was(stage: str, data: st.DataObject) -> None:
    trace = data.draw(st.builds(Trace, **{stage: full(get_type_hints(Trace)[stage])}))
    stored = json.loads(json.dumps(trace_to_json(trace)))
    assert trace_from_json(stored) == trace
    # Whatever it holds, there are words for it.
    assert explain(trace).headline.endswith(".")


@given(version=st.one_of(st.none(), st.integers(TRACE_VERSION + 1)))
def test_a_trace_of_an_unknown_version_is_refused(version: int | None) -> None:
    with pytest.raises(ValueError, match=f"^trace version {version} is not known"):
        trace_from_json({"version": version})


def stored_traces() -> list[Any]:
    return [
        pytest.param(stored, id=f"{path.stem}-{stored['workload']}")
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


def told(value: Any) -> Iterator[str]:
    """Yield every kind of fact in a trace: members of enums, and fields that are not empty."""
    if isinstance(value, StrEnum):
        yield f"{type(value).__name__}.{value.name}"
    elif isinstance(value, tuple | list):
        for each in value:
            yield from told(each)
    elif is_dataclass(value) and type(value).__module__ in (facts.__name__, policy.__name__):
        for each in fields(value):
            default = each.default
            if each.default_factory is not MISSING:
                default = each.default_factory()
            actual = getattr(value, each.name)
            if default is MISSING or actual != default:
                yield f"{type(value).__name__}.{each.name}"
                yield from told(actual)


def kinds() -> Iterator[str]:
    """Yield every kind of fact there is."""
    # Of a policy, a trace keeps the settings that are not acted on.
    for each in (*vars(facts).values(), policy.Unsupported):
        modules = (facts.__name__, Outcome.__module__, policy.__name__)
        if not isinstance(each, type) or each.__module__ not in modules:
            continue
        if issubclass(each, StrEnum):
            yield from (f"{each.__name__}.{member}" for member in each.__members__)
        elif is_dataclass(each):
            yield from (f"{each.__name__}.{field.name}" for field in fields(each))


def test_every_kind_of_fact_has_a_stored_trace_in_the_present_version() -> None:
    stored = {kind for each in PRESENT for kind in told(trace_from_json(each))}
    assert set(kinds()) - stored == set()


def test_every_outcome_and_reason_is_stored_as_its_code() -> None:
    endings: list[Mapping[str, str]] = [each["outcome"] for each in PRESENT]
    assert {each["outcome"] for each in endings} == {each.value for each in Outcome}
    # Rows know that reason before any engine has looked; it has no trace.
    assert {each["reason"] for each in endings} == set(registered_reasons()) - {NOT_EVALUATED}
