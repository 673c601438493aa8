"""Contract of all dialects: any text yields a reading, and the samples compile."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from console.dialects import dialects, likely_dialect
from console.dialects.base import Dialect, PastSpec, Reading
from console.dialects.diagnostics import Diagnostic, Severity
from console.dialects.positions import Positions, apply_fix
from console.dialects.render import findings_to_json, findings_to_text
from console.engine.diff.objects import Role

EVERY = pytest.mark.parametrize("dialect", dialects().values(), ids=dialects())
RELAXED = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
#: Texts longer than this are cut at only a few places.
LONG = 20_000
SAMPLES = [
    text
    for dialect in dialects().values()
    for text in dialect.samples().values()
    if len(text) < LONG
]
BAD = [path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("*/bad/*.yaml"))]

#: Fragments that texts with mistakes are built from.
SCRAPS = st.sampled_from(
    [
        *"{}[]:-,#&*!|>'\"%@`?\t\r\n \0\x07\x85\u2028\ufeff😀\ud800",
        *("---\n", "...\n", "<<: *a", "&a ", "*a", "!!python/object:os.system ", "  - ", "\r\n"),
        *("no", "010", "1_000", "12:30", "1e3", ".inf", ".nan", "null", "-1", "name: ", "values: "),
        *("cohort_name: x\n", "resource_queues:\n", "- name: default\n"),
        *("16GB", "010", "1n", "kind: ClusterQueue\n", "kind: List\nitems:\n", "parentName: x\n"),
    ]
)


@st.composite
def mutated_samples(draw: st.DrawFn) -> str:
    """Draw a sample or a bad document with parts removed, doubled or replaced by scraps."""
    text = draw(st.sampled_from(SAMPLES + BAD))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        middle = draw(st.one_of(SCRAPS, st.just(text[start:end] * 2), st.just("")))
        text = text[:start] + middle + text[end:]
    return text


TEXTS = st.one_of(
    st.text(max_size=200),
    st.binary(max_size=200),
    st.lists(SCRAPS, max_size=30).map("".join),
    mutated_samples(),
)


def check_reading(reading: Reading, text: str | bytes) -> None:
    """Assert the invariants of every reading."""
    assert reading.ok == (not reading.errors)
    for diagnostic in reading.diagnostics:
        check_diagnostic(diagnostic)
    json.dumps([findings_to_json(reading.diagnostics), reading.queue_specs])
    findings_to_text(reading.diagnostics, text, "config.yaml")
    starts = [(d.span.line, d.span.column) for d in reading.diagnostics if d.code != "DOC020"]
    assert starts == sorted(starts)


def check_diagnostic(diagnostic: Diagnostic) -> None:
    """Assert the form of a diagnostic."""
    span = diagnostic.span
    assert (1, 1) <= (span.line, span.column) <= (span.end_line, span.end_column)
    assert diagnostic.message.endswith(".")
    assert "\n" not in diagnostic.message + diagnostic.hint
    assert len(diagnostic.message) < 600


@EVERY
@RELAXED
@given(text=TEXTS)
def test_any_text_yields_a_reading(dialect: Dialect, text: str | bytes):
    check_reading(dialect.read(text, {}), text)


@EVERY
@RELAXED
@given(text=mutated_samples())
def test_every_fix_removes_its_finding(dialect: Dialect, text: str):
    for diagnostic in dialect.read(text, {}).diagnostics:
        for fix in diagnostic.fixes:
            after = dialect.read(apply_fix(text, fix), {})
            assert _is_gone(diagnostic, after), (diagnostic, fix)


def _is_gone(diagnostic: Diagnostic, after: Reading) -> bool:
    """Return whether no finding of equal code, message and path is left at the same place."""
    return not any(
        (d.code, d.message, d.path, d.span.line, d.span.column)
        == (
            diagnostic.code,
            diagnostic.message,
            diagnostic.path,
            diagnostic.span.line,
            diagnostic.span.column,
        )
        for d in after.diagnostics
    )


@EVERY
def test_samples_compile_without_errors_and_warnings(dialect: Dialect):
    samples = dialect.samples()
    assert samples
    for title, text in samples.items():
        reading = dialect.read(text, {})
        assert reading.ok, title
        assert {d.severity for d in reading.diagnostics} <= {Severity.INFO}, title
        assert reading.policy == dialect.read(text.encode(), {}).policy
        assert reading.policy.dialect == dialect.name
        assert reading.policy.discipline == dialect.discipline


@EVERY
def test_dialect_of_a_sample_is_detected(dialect: Dialect):
    for text in dialect.samples().values():
        assert likely_dialect(text) is dialect


@pytest.mark.parametrize("text", ["", "a: 1", "text", "resource_queues:\napiVersion: v1\n"])
def test_ambiguous_text_has_no_detected_dialect(text: str):
    assert likely_dialect(text) is None


@EVERY
def test_sample_agrees_with_its_own_queue_specs(dialect: Dialect):
    for text in dialect.samples().values():
        specs = json.loads(json.dumps(dialect.read(text, {}).queue_specs))
        past = {name: PastSpec(version=1, spec=spec) for name, spec in specs.items()}
        assert dialect.read(text, past).diagnostics == dialect.read(text, {}).diagnostics


@EVERY
def test_every_prefix_of_a_sample_yields_a_reading(dialect: Dialect):
    for text in dialect.samples().values():
        for end in range(0, len(text), 7 if len(text) < LONG else len(text) // 20):
            check_reading(dialect.read(text[:end], {}), text[:end])


@EVERY
def test_origins_are_spans_that_contain_the_name(dialect: Dialect):
    for text in dialect.samples().values():
        positions = Positions(text)
        policy = dialect.read(text, {}).policy
        assert policy is not None
        without = [queue.name for queue in policy.queues.values() if queue.origin is None]
        # A language with one queue for all workloads has no text for it.
        assert not without or len(policy.queues) == 1
        for part in dialect.objects(policy):
            if part.origin is None or part.kind.role is not Role.NAMED:
                continue
            start = positions.offset(part.origin.line, part.origin.column)
            end = positions.offset(part.origin.end_line, part.origin.end_column)
            # The key of a local queue begins with its namespace, that of a queue in a tree with the
            # queues above it; their texts do not.
            names = (part.key.rpartition("/")[2], part.key.rpartition(".")[2].rpartition(":")[2])
            assert any(name in positions.text[start:end] for name in names)


@EVERY
def test_the_schema_is_plain_json(dialect: Dialect):
    schema = dialect.schema()
    assert schema == json.loads(json.dumps(schema))
    assert schema["$schema"].startswith("https://json-schema.org/")


def test_severities_are_the_three_that_the_api_knows():
    assert [severity.value for severity in Severity] == ["error", "warning", "info"]
