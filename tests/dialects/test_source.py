"""Source texts that are not valid YAML: one finding at the right place, never an exception."""

from __future__ import annotations

import pytest

from console.dialects.findings import MAX_ERRORS, MAX_KEPT
from console.dialects.native import DIALECT
from console.dialects.source import MAX_BYTES, read_source
from console.engine.disciplines.quota.spec import spec_of
from console.engine.routing.rule_routing import rules_of
from tests.dialects.carets import actual_findings
from tests.dialects.test_contract import check_diagnostic

SYNTAX = [
    ("list not closed", "a: [1, 2\nb: 3", (2, 2, "YML001")),
    ("list open at the end", "a:\n- [1, 2", (2, 8, "YML001")),
    ("mapping not closed", "a: {b: 1\nc: 2", (2, 2, "YML001")),
    ("quote not closed", 'a: "b\nc: 1\n', (3, 1, "YML001")),
    ("bracket too many", "a: ]", (1, 4, "YML001")),
    ("indentation between two levels", "a:\n    b: 1\n  c: 2", (3, 3, "YML001")),
    ("colon in a plain text", "a: b: c", (1, 5, "YML001")),
    ("colon missing", "a: 1\nb\nc: 2", (3, 1, "YML001")),
    ("character that begins nothing", "a: @b", (1, 4, "YML001")),
    ("escape that does not exist", 'a: "\\q"', (1, 5, "YML001")),
    ("tab in the indentation", "a:\n\tb: 1", (2, 1, "YML007")),
    ("tab behind a dash", "a:\n- \tb: 1", (2, 3, "YML007")),
    ("escape in a tag", "a: b\nc: !%C0%80 d", (2, 4, "YML010")),
    ("escape in a tag prefix", "%TAG !e! %ED%A0%80\n---\na: !e!x b", (1, 10, "YML010")),
    # Searching for the escape at each character of the comment would take an hour.
    ("escape in a tag, behind a long word", f"a: #{'x' * 900_000}\n  !%C0%80 d", (2, 3, "YML010")),
    ("second document", "a: 1\n---\nb: 2", (2, 1, "YML008")),
    ("text after the end", "{}\n...\nb: 2", (3, 1, "YML001")),
    ("control character", "a: b\nc: \x07d\x08", (2, 4, "YML003")),
    ("NUL", "a\0b", (1, 2, "YML003")),
    ("lone surrogate", "a: \ud800", (1, 4, "YML003")),
    ("byte order mark inside", "a: 1\n\ufeffb: 2", (2, 1, "YML003")),
    ("not UTF-8", b"a: 1\r\n\xc3\xa4: \xff", (2, 4, "YML002")),
    ("UTF-16", "a: 1".encode("utf-16"), (1, 1, "YML002")),
    ("deep list", "[" * 100_000, (1, 65, "YML005")),
    ("deep mapping", "{a: " * 100_000, (1, 4 * 64 + 1, "YML005")),
    ("deep blocks", "".join(" " * i + "a:\n" for i in range(200)), (65, 65, "YML005")),
    (
        "deep by aliases",
        "- &a0 [x]\n" + "".join(f"- &a{n} [*a{n - 1}]\n" for n in range(1, 200)),
        (64, 9, "YML005"),
    ),
    (
        "alias bomb",
        "- &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"- &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 20)),
        (6, 8, "YML006"),
    ),
    ("values without end", "[" + "a," * 210_000 + "]", (1, 400_000, "YML006")),
    ("text above the limit", "#" * (MAX_BYTES + 1), (1, 1, "YML004")),
    ("text above the limit in bytes", "#" + "ä" * (MAX_BYTES // 2), (1, 1, "YML004")),
]


@pytest.mark.parametrize(
    ("text", "finding"), [row[1:] for row in SYNTAX], ids=[r[0] for r in SYNTAX]
)
def test_one_finding_at_the_exact_position(text: str | bytes, finding: tuple[int, int, str]):
    reading = DIALECT.read(text, {})
    codes = [found for found in actual_findings(reading) if found[2].startswith("YML")]
    assert [finding] == codes
    assert reading.policy is None


@pytest.mark.parametrize(
    "text",
    [
        f"? {'k' * 1000}\n: 1\n? {'k' * 1000}\n: 2\n",
        '? "a\\nb"\n: 1\n? "a\\nb"\n: 2\n',
        f"a: *{'b' * 1000}",
        f"a: &{'b' * 1000} [*{'b' * 1000}]",
    ],
    ids=["key", "key of two lines", "unknown alias", "alias within its anchor"],
)
def test_message_about_a_long_value_is_one_sentence(text: str):
    errors = DIALECT.read(text, {}).errors
    assert {"YML009", "YML011", "YML012"} & {error.code for error in errors}
    for error in errors:
        check_diagnostic(error)


def test_syntax_errors_have_plain_messages():
    messages = {
        name: DIALECT.read(text, {}).errors[0].message
        for name, text, (_, _, code) in SYNTAX
        if code == "YML001"
    }
    assert messages == {
        "list not closed": "The list that begins on line 1 is invalid here.",
        "list open at the end": "The list that begins on line 2 is never closed.",
        "mapping not closed": "The mapping that begins on line 1 is invalid here.",
        "quote not closed": "The quote that opens on line 1 is never closed.",
        "bracket too many": "A value is expected here.",
        "indentation between two levels": (
            "A field is expected here, to continue the mapping of line 1."
        ),
        "colon in a plain text": "A ':' is not allowed here.",
        "colon missing": "A ':' is missing after the key on line 2.",
        "character that begins nothing": "A value cannot begin with '@'.",
        "text after the end": "The document has ended before this.",
        "escape that does not exist": "This escape is unknown in a double-quoted text.",
    }


EMPTY = ["", " \n", "# only a comment", "{}", "---", "~", "null", "\ufeff", b"", b"\xef\xbb\xbf"]


@pytest.mark.parametrize("text", EMPTY)
def test_an_empty_document_is_an_empty_config(text: str | bytes):
    reading = DIALECT.read(text, {})
    assert reading.ok
    assert reading.diagnostics == ()
    assert reading.policy is not None
    assert (spec_of(reading.policy).flavors, reading.policy.queues, rules_of(reading.policy)) == (
        {},
        {},
        (),
    )


@pytest.mark.parametrize("text", ["text", "[]", "- a", "5", "true", '""'])
def test_document_that_is_not_a_mapping_has_one_error(text: str):
    assert actual_findings(DIALECT.read(text, {})) == [(1, 1, "DOC003")]


def test_text_of_the_maximum_size_is_read():
    text = "resource_queues:\n- name: q\nscheduling_rules:\n- resource_queue: q\n"
    padded = text + "#" * (MAX_BYTES - len(text))
    assert DIALECT.read(padded, {}).ok


def test_anchors_aliases_and_merges_are_expanded():
    text = """\
resource_flavors:
  - &spot { name: spot, selector: [&is { key: market-type, operator: in, values: [SPOT] }] }
  - { <<: *spot, name: other }
resource_queues:
  - name: &q queue
scheduling_rules:
  - selector: [*is]
    resource_queue: *q
  - resource_queue: *q
"""
    policy = DIALECT.read(text, {}).policy
    assert policy is not None
    expression = spec_of(policy).flavors["spot"].selector.expressions[0]
    assert (expression.key, expression.values) == ("market-type", ("SPOT",))
    assert spec_of(policy).flavors["other"].selector.expressions == (expression,)
    assert rules_of(policy)[0].selector.expressions == (expression,)
    assert [rule.queue for rule in rules_of(policy)] == ["queue", "queue"]


def test_merged_key_may_be_overridden_once():
    merged = read_source("a: &a { x: 1 }\nb: { <<: *a, x: 2 }\nc: { x: 3, <<: *a }")
    assert merged.findings.diagnostics() == ()
    twice = read_source("a: &a { x: 1 }\nb: { <<: *a, x: 2, x: 3 }")
    assert [d.code for d in twice.findings.diagnostics()] == ["YML009"]


def test_five_hundred_findings_are_kept_and_the_rest_is_counted():
    rules = "".join(f"- resource_queue: q{n}\n" for n in range(700))
    diagnostics = DIALECT.read(f"scheduling_rules:\n{rules}", {}).diagnostics
    assert len(diagnostics) == MAX_KEPT + 1
    assert [d.span.line for d in diagnostics[:-1]] == list(range(2, MAX_KEPT + 2))
    last = diagnostics[-1]
    assert (last.code, last.severity.value) == ("DOC020", "info")
    assert last.message == "200 more findings are not shown."


def test_errors_are_kept_before_warnings():
    queues = "".join(f"- name: q{n}\n" for n in range(600))
    text = f"resource_queues:\n{queues}"
    warnings = DIALECT.read(text, {})
    assert warnings.ok
    assert len(warnings.diagnostics) == MAX_KEPT + 1
    text += "- name: last\n  preemption: { reclaim_within_cohort: any, colour: red }\n"
    assert [d.code for d in DIALECT.read(text, {}).diagnostics] == ["NAT016", "DOC001"]


def test_reading_stops_at_too_many_errors():
    rules = "".join(f"- resource_queue: q{n}\n" for n in range(MAX_ERRORS + 1000))
    diagnostics = DIALECT.read(f"scheduling_rules:\n{rules}", {}).diagnostics
    assert diagnostics[-1].message == "At least 4,500 more findings are not shown."
