"""A Configuration inside a ConfigMap means the same as alone; findings point into the block."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from console.dialects.kueue import DIALECT
from console.dialects.positions import apply_fix
from console.engine.disciplines.quota.spec import spec_of
from tests.dialects.meaning import plain

INNER = """\
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
fairSharing:
  preemptionStrategies: [LessThanInitialShare]
resources:
  quotaCheckStrategy: IgnoreUndeclared
"""
HEAD = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config}
data:
  controller_manager_config.yaml: """


def block(text: str, header: str = "|", indent: str = "    ") -> str:
    """Return a ConfigMap with *text* as a block scalar."""
    lines = "".join(f"{indent}{line}".rstrip(" ") for line in text.splitlines(keepends=True))
    return f"{HEAD}{header}\n{lines}"


def folded(quoted: str) -> str:
    """Return a double-quoted scalar broken at each of its newlines, with leading spaces escaped."""
    return re.sub(r"\\n( ?)", lambda found: "\\n\\\n    " + ("\\ " if found[1] else ""), quoted)


FORMS = {
    "literal": block(INNER),
    "literal without an end": block(INNER, "|-  # kept"),
    "literal with its indentation": block(INNER, "|6", "        "),
    "literal with a marker": block(f"# first\n\n---\n{INNER}"),
    "with Windows line ends": block(INNER).replace("\n", "\r\n"),
    "quoted on one line": f"{HEAD}{json.dumps(INNER)}\n",
    "quoted on several lines": HEAD + folded(json.dumps(INNER)) + "\n",
    "folded": block(INNER.replace("\n", "\n\n").replace("\n\n  ", "\n  "), ">"),
    "JSON": json.dumps(
        {
            "apiVersion": "v1",
            "kind": "List",
            "items": [
                {
                    "apiVersion": "v1",
                    "kind": "ConfigMap",
                    "data": {"controller_manager_config.yaml": INNER},
                }
            ],
        }
    ),
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_all_forms_of_the_embedded_text_are_equal(text: str):
    alone, inside = DIALECT.read(INNER, {}), DIALECT.read(text, {})
    assert inside.diagnostics == ()
    assert inside.policy is not None
    assert spec_of(inside.policy).settings.fair_sharing == ("less_than_initial_share",)
    assert plain(alone.policy) == plain(inside.policy)


def test_a_finding_in_a_block_has_its_line_and_a_fix_that_works():
    text = block(INNER.replace("InitialShare", "InitialShares"))
    (error,) = DIALECT.read(text, {}).errors
    assert (error.code, error.span.line, error.span.column) == ("DOC008", 9, 30)
    assert error.path == ("data.controller_manager_config.yaml.fairSharing.preemptionStrategies[0]")
    assert apply_fix(text, error.fixes[0]) == block(INNER)


def test_a_syntax_error_in_a_block_names_the_lines_of_the_whole_text():
    text = block(INNER.replace("InitialShare]", "InitialShare"))
    (error,) = DIALECT.read(text, {}).errors
    assert (error.code, error.span.line) == ("YML001", 10)
    assert error.message == "The list that begins on line 9 is invalid here."


def test_a_finding_in_a_quoted_text_has_its_column_and_no_fix():
    text = f"{HEAD}{json.dumps(INNER.replace('InitialShare', 'InitialShares'))}\n"
    (error,) = DIALECT.read(text, {}).errors
    line = text.splitlines()[4]
    start, end = error.span.column - 1, error.span.end_column - 1
    assert (error.span.line, line[start:end], error.fixes) == (5, "LessThanInitialShares", ())


def test_finding_in_another_scalar_style_spans_the_whole_scalar():
    head = ", ".join(INNER.splitlines()[:2])
    text = f"{HEAD}'{{{head},\n    ressources: {{}}}}'\n"
    (error,) = DIALECT.read(text, {}).errors
    assert (error.code, error.fixes) == ("DOC001", ())
    assert (error.span.line, error.span.column, error.span.end_line) == (5, 35, 6)


BAD = (Path(__file__).parent / "bad" / "configuration.yaml").read_text("utf-8")
CONFIGURATIONS = [text for text in BAD.split("---\n") if "KUE003" not in text]


@pytest.mark.parametrize("text", CONFIGURATIONS)
def test_findings_of_a_block_are_at_the_same_text_as_alone(text: str):
    text = text.rstrip("\n")
    alone = DIALECT.read(text, {}).diagnostics
    inside = DIALECT.read(block(text), {}).diagnostics
    assert len(alone) > 10
    assert [(d.code, d.span.line + 5, d.span.column + 4, d.message) for d in alone] == [
        (d.code, d.span.line, d.span.column, d.message) for d in inside
    ]
    for one, other in zip(alone, inside, strict=True):
        assert [apply_fix(block(text), fix) for fix in other.fixes] == [
            block(apply_fix(text, fix)) for fix in one.fixes
        ]


OPERATOR = """\
apiVersion: kueue.openshift.io/v1
kind: Kueue
metadata: {name: cluster}
spec:
  managementState: Managed
  config:
    integrations: {frameworks: [BatchJob]}
    preemption: {preemptionPolicy: %s}
"""


@pytest.mark.parametrize(
    ("policy", "strategies"),
    [
        ("FairSharing", ("less_than_or_equal_to_final_share", "less_than_initial_share")),
        ("Classical", ()),
        ('""', ()),
    ],
)
def test_openshift_operator_enables_fair_sharing(policy: str, strategies: tuple[str, ...]):
    reading = DIALECT.read(OPERATOR % policy, {})
    assert reading.policy is not None
    assert spec_of(reading.policy).settings.fair_sharing == strategies
    assert [d.code for d in reading.diagnostics] == ["KUE043"]


def test_older_openshift_version_has_settings_of_a_configuration():
    text = OPERATOR.replace("/v1\n", "/v1alpha1\n")
    text = text.replace("preemption: {preemptionPolicy: %s}", "fairSharing: {enable: true}")
    policy = DIALECT.read(text, {}).policy
    assert policy is not None
    assert len(spec_of(policy).settings.fair_sharing) == 2


def test_configuration_of_the_openshift_operator_wins_over_its_object():
    for text in (f"{OPERATOR % 'Classical'}---\n{block(INNER)}",):
        reading = DIALECT.read(text, {})
        assert reading.policy is not None
        assert spec_of(reading.policy).settings.fair_sharing == ("less_than_initial_share",)
        assert [d.code for d in reading.diagnostics] == ["KUE041", "KUE043"]


def test_nested_embedded_texts_are_not_read():
    text = INNER
    for depth in range(3):
        text = block(text, indent=" " * (4 if depth < 2 else 2))
    reading = DIALECT.read(text, {})
    assert reading.policy is not None
    assert spec_of(reading.policy).settings.fair_sharing == ()
    assert [d.code for d in reading.diagnostics] == ["KUE041"]


def test_a_text_that_aliases_repeat_is_read_once():
    texts = (f"&a {json.dumps(INNER)}", "*a", "*a")
    files = "".join(
        f"- apiVersion: v1\n  kind: ConfigMap\n  data: {{controller_manager_config.yaml: {text}}}\n"
        for text in texts
    )
    reading = DIALECT.read(f"apiVersion: v1\nkind: List\nitems:\n{files}", {})
    assert [(d.code, d.path) for d in reading.diagnostics] == [
        ("KUE003", "items[1].kind"),
        ("KUE003", "items[2].kind"),
    ]


def test_fixes_beside_a_quoted_text_are_offered():
    wrong = INNER.replace("fairSharing", "fairSharings")
    text = (
        f"{HEAD}{json.dumps(wrong)}\n---\napiVersion: v1\nKind: Namespace\nmetadata: {{name: a}}\n"
    )
    inside, beside = DIALECT.read(text, {}).errors
    assert (inside.code, inside.fixes) == ("DOC001", ())
    assert (beside.code, [fix.title for fix in beside.fixes]) == ("DOC001", ['Replace with "kind"'])
