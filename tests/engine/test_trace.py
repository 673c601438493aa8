"""Stored traces: traces written by any earlier version can be read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import console.engine.disciplines.fairshare.trace as fairshare
import console.engine.disciplines.hierarchy.trace as hierarchy
import console.engine.disciplines.quota.trace as quota
import console.engine.model.policy as policy
import console.engine.model.trace as facts
from console.engine.disciplines.quota.reasons import WAITING_FOR_QUOTA
from console.engine.disciplines.quota.trace import QUOTA, QuotaFacts
from console.engine.explain import explain
from console.engine.model.amounts import UNLIMITED, Unlimited
from console.engine.model.common_reasons import NOT_EVALUATED
from console.engine.model.decision import Outcome, Place, PodSetAssignment
from console.engine.model.reasons import Reason, registered_reasons
from console.engine.model.stored_trace import TRACE_VERSION, trace_from_json, trace_to_json
from console.engine.model.trace import OutcomeStep, Trace
from console.engine.model.trace_sections import (
    TraceSection,
    UnreadSection,
    register_section,
    section_kind,
    unregister_section,
)

FILES = sorted((Path(__file__).parents[1] / "traces").glob("*.json"))
STORED = [stored for path in FILES for stored in json.loads(path.read_text("utf-8"))]

#: Modules whose classes are facts of traces; for policies these are unsupported settings.
MODULES = (
    facts.__name__,
    quota.__name__,
    fairshare.__name__,
    hierarchy.__name__,
    policy.__name__,
    Outcome.__module__,
)

st.register_type_strategy(Unlimited, st.just(UNLIMITED))
st.register_type_strategy(Reason, st.sampled_from(registered_reasons()))


@st.composite
def assignments(draw: st.DrawFn) -> PodSetAssignment:
    """Draw an assignment whose places, if any, hold all its pods."""
    places = draw(st.lists(st.builds(Place), max_size=3).map(tuple))
    return draw(
        st.builds(
            PodSetAssignment,
            count=st.just(sum(each.count for each in places)) if places else st.integers(),
            places=st.just(places),
            stopping=st.lists(st.builds(Place), max_size=2).map(tuple),
        )
    )


st.register_type_strategy(PodSetAssignment, assignments())


def full(hint: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for nonempty values of a field's type, if the type has any."""
    if get_origin(hint) is tuple:
        return st.lists(full(get_args(hint)[0]), min_size=1, max_size=3).map(tuple)
    present = [each for each in get_args(hint) if each is not type(None)]
    return st.from_type(present[0] if type(None) in get_args(hint) else hint)


def with_field(kind: type[Any], name: str) -> st.SearchStrategy[Any]:
    """Return a strategy for instances of *kind* whose field *name* is nonempty."""
    return st.builds(kind, **{name: full(get_type_hints(kind)[name])})


TRACES = {each.name: with_field(Trace, each.name) for each in fields(Trace)} | {
    each.name: st.builds(
        Trace, sections=st.fixed_dictionaries({QUOTA: with_field(QuotaFacts, each.name)})
    )
    for each in fields(QuotaFacts)
}
TRACES["sections"] = st.builds(
    Trace,
    sections=st.fixed_dictionaries(
        {QUOTA: st.builds(QuotaFacts), "lottery": st.just(UnreadSection({"tickets": [1, 2]}))}
    ),
)


@pytest.mark.parametrize("stage", TRACES)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_trace_round_trips_through_json(stage: str, data: st.DataObject) -> None:
    trace = data.draw(TRACES[stage])
    stored = json.loads(json.dumps(trace_to_json(trace)))
    assert trace_from_json(stored) == trace
    # Every trace can be explained.
    assert explain(trace).headline.endswith(".")


@given(version=st.one_of(st.none(), st.integers(TRACE_VERSION + 1)))
def test_a_trace_of_an_unknown_version_is_refused(version: int | None) -> None:
    with pytest.raises(ValueError, match=f"^trace version {version} is not known"):
        trace_from_json({"version": version})


@pytest.mark.parametrize(
    "stored", [pytest.param(each, id=f"{each['version']}-{each['workload']}") for each in STORED]
)
def test_a_stored_trace_is_still_read_and_explained(stored: dict[str, object]) -> None:
    trace = trace_from_json(stored)
    explanation = explain(trace)
    assert explanation.reason is trace.outcome.reason
    assert explanation.headline
    assert [stage.stage for stage in explanation.stages][-1] == "outcome"
    # Writing a trace that was read gives the stored form, which older processes can read.
    assert trace_to_json(trace) == stored


def fact_kinds_of(value: Any) -> Iterator[str]:
    """Yield every kind of fact in a trace: enum members, and fields with nondefault values."""
    if isinstance(value, StrEnum):
        yield f"{type(value).__name__}.{value.name}"
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from fact_kinds_of(each)
    elif isinstance(value, tuple | list):
        for each in value:
            yield from fact_kinds_of(each)
    elif is_dataclass(value) and type(value).__module__ in MODULES:
        for each in fields(value):
            default = each.default
            if each.default_factory is not MISSING:
                default = each.default_factory()
            actual = getattr(value, each.name)
            if default is MISSING or actual != default:
                yield f"{type(value).__name__}.{each.name}"
                yield from fact_kinds_of(actual)


def all_fact_kinds() -> Iterator[str]:
    """Yield every kind of fact that exists."""
    modules = (facts, quota, fairshare, hierarchy)
    for each in (
        *(value for module in modules for value in vars(module).values()),
        policy.Unsupported,
    ):
        if not isinstance(each, type) or each.__module__ not in MODULES:
            continue
        if issubclass(each, StrEnum):
            yield from (f"{each.__name__}.{member}" for member in each.__members__)
        elif is_dataclass(each):
            yield from (f"{each.__name__}.{field.name}" for field in fields(each))


def test_every_kind_of_fact_has_a_stored_trace() -> None:
    stored = {kind for each in STORED for kind in fact_kinds_of(trace_from_json(each))}
    assert set(all_fact_kinds()) - stored == set()


def test_every_outcome_and_reason_is_stored_as_its_code() -> None:
    endings: list[Mapping[str, str]] = [each["outcome"] for each in STORED]
    assert {each["outcome"] for each in endings} == {each.value for each in Outcome}
    # Rows have that reason before the first nomination, so there is no trace of it.
    assert {each["reason"] for each in endings} == set(registered_reasons()) - {NOT_EVALUATED}


def ended(**stages: Any) -> Trace:
    outcome = OutcomeStep(outcome=Outcome.PENDING, reason=WAITING_FOR_QUOTA)
    return Trace(
        workload="w", labels={}, requests={}, requested_priority=None, outcome=outcome, **stages
    )


def test_traces_of_quota_are_written_as_the_first_version_has_them() -> None:
    trace = ended(sections={QUOTA: QuotaFacts(uncovered=("tpu",))})
    assert trace_to_json(trace) == {
        "version": 1,
        "workload": "w",
        "labels": {},
        "requests": {},
        "requested_priority": None,
        "uncovered": ["tpu"],
        "outcome": {"outcome": "pending", "reason": "waiting_for_quota"},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Tickets(TraceSection):
    """Trace section of a made-up lottery discipline."""

    drawn: tuple[int, ...] = ()
    owner: str | None = None


@pytest.fixture
def lottery() -> Iterator[str]:
    register_section("lottery", Tickets)
    yield "lottery"
    unregister_section("lottery")


def test_a_registered_section_is_stored_under_its_code(lottery: str) -> None:
    trace = ended(sections={lottery: Tickets(drawn=(3, 1))})
    stored = json.loads(json.dumps(trace_to_json(trace)))
    assert (stored["version"], stored["sections"]) == (2, {"lottery": {"drawn": [3, 1]}})
    assert trace_from_json(stored) == trace


def test_a_code_has_one_kind_of_section(lottery: str) -> None:
    assert (section_kind(lottery), section_kind(QUOTA)) == (Tickets, QuotaFacts)
    with pytest.raises(ValueError, match=r"registered already: 'lottery'$"):
        register_section(lottery, QuotaFacts)


def test_unregistered_section_is_kept_and_reported_as_unreadable() -> None:
    stored = trace_to_json(ended()) | {"sections": {"lottery": {"drawn": [3, 1]}}}
    trace = trace_from_json(stored)
    assert trace.sections == {"lottery": UnreadSection({"drawn": [3, 1]})}
    assert trace_to_json(trace) == stored
    assert [
        (stage.stage, [sentence.text for sentence in stage.sentences])
        for stage in explain(trace).stages
        if stage.stage not in ("intake", "outcome")
    ] == [("lottery", ["This version of Sluice cannot read what the scheduler lottery found."])]
