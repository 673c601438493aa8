"""Every rule for filters, preferences and expressions, with its place and its repair."""

from __future__ import annotations

import pytest

from console.dialects.diagnostics import Severity
from console.dialects.positions import apply_fix
from console.dialects.skyshift import DIALECT, read_job
from tests.dialects.skyshift.texts import template

DEV = "match_labels: { purpose: dev }"

#: The rules that SkyShift's own tests refuse a Job for: the placement, the findings (code, path and
#: marked text), and the marked text after the first fix of the first finding, "" without a fix.
REFUSED = {
    "missing filter name": (
        f"filters: [{{ {DEV} }}]",
        [("DOC002", "filters[0].name", "match_labels")],
        "",
    ),
    "bad filter name": (
        f"filters: [{{ name: Filter_1, {DEV} }}]",
        [("SKY004", "filters[0].name", "Filter_1")],
        "filter-1",
    ),
    "empty match_labels only in a filter": (
        "filters: [{ name: f, match_labels: {} }]",
        [("SKY005", "filters[0]", "f")],
        "",
    ),
    "blank label key in a filter": (
        'filters: [{ name: f, match_labels: { "": dev } }]',
        [("DOC006", "filters[0].match_labels.", '""')],
        "",
    ),
    "missing preference name": (
        f"preferences: [{{ {DEV}, weight: 2 }}]",
        [("DOC002", "preferences[0].name", "match_labels")],
        "",
    ),
    "bad preference name": (
        f"preferences: [{{ name: -p-, {DEV}, weight: 2 }}]",
        [("SKY004", "preferences[0].name", "-p-")],
        "p",
    ),
    "empty match_labels only in a preference": (
        "preferences: [{ name: p, match_labels: {}, weight: 2 }]",
        [("SKY005", "preferences[0]", "p")],
        "",
    ),
    "blank label key in a preference": (
        'preferences: [{ name: p, match_labels: { " ": dev }, weight: 2 }]',
        [("DOC006", "preferences[0].match_labels. ", '" "')],
        "",
    ),
    "weight as a word": (
        f"preferences: [{{ name: p, {DEV}, weight: ten }}]",
        [("DOC009", "preferences[0].weight", "ten")],
        "",
    ),
    "weight 99.9": (
        f"preferences: [{{ name: p, {DEV}, weight: 99.9 }}]",
        [("DOC016", "preferences[0].weight", "99.9")],
        "",
    ),
    "weight 0": (
        f"preferences: [{{ name: p, {DEV}, weight: 0 }}]",
        [("SKY006", "preferences[0].weight", "0")],
        "1",
    ),
    "weight 101": (
        f"preferences: [{{ name: p, {DEV}, weight: 101 }}]",
        [("SKY006", "preferences[0].weight", "101")],
        "100",
    ),
    "duplicate filter name": (
        f"filters: [{{ name: f, {DEV} }}, {{ name: f, {DEV} }}]",
        [("DOC019", "filters[1].name", "f")],
        "",
    ),
    "duplicate preference name": (
        f"preferences: [{{ name: p, {DEV}, weight: 2 }}, {{ name: p, {DEV}, weight: 3 }}]",
        [("DOC019", "preferences[1].name", "p")],
        "",
    ),
    "empty operator": (
        'filters: [{ name: f, match_expressions: [{ key: a, operator: "", values: [b] }] }]',
        [("DOC008", "filters[0].match_expressions[0].operator", '""')],
        "",
    ),
}

#: Further rules of its templates, in the same form.
ALSO_REFUSED = {
    "misspelled field": (
        f"filter: [{{ name: f, {DEV} }}]",
        [("DOC001", "filter", "filter")],
        "filters",
    ),
    "name with an underscore": (
        f"filters: [{{ name: f_1, {DEV} }}]",
        [("SKY004", "filters[0].name", "f_1")],
        "f-1",
    ),
    "name of 64 characters": (
        f"filters: [{{ name: {'f' * 64}, {DEV} }}]",
        [("SKY004", "filters[0].name", "f" * 64)],
        "f" * 63,
    ),
    "label value that is a number": (
        "filters: [{ name: f, match_labels: { purpose: 1 } }]",
        [("DOC007", "filters[0].match_labels.purpose", "1")],
        '"1"',
    ),
    "label key that is a number": (
        "filters: [{ name: f, match_labels: { 1: dev } }]",
        [("DOC007", "filters[0].match_labels.1", "1")],
        '"1"',
    ),
    "value that is a number": (
        "filters: [{ name: f, match_expressions: [{ key: a, operator: In, values: [1] }] }]",
        [("DOC007", "filters[0].match_expressions[0].values[0]", "1")],
        '"1"',
    ),
    "blank key of an expression": (
        'filters: [{ name: f, match_expressions: [{ key: " ", operator: In, values: [b] }] }]',
        [("DOC006", "filters[0].match_expressions[0].key", '" "')],
        "",
    ),
    "operator in lower case": (
        "filters: [{ name: f, match_expressions: [{ key: a, operator: notin, values: [b] }] }]",
        [("DOC008", "filters[0].match_expressions[0].operator", "notin")],
        "NotIn",
    ),
    "operator of Kubernetes": (
        "filters: [{ name: f, match_expressions: [{ key: a, operator: Exists }] }]",
        [("DOC008", "filters[0].match_expressions[0].operator", "Exists")],
        "",
    ),
    "values that are one text": (
        "filters: [{ name: f, match_expressions: [{ key: a, operator: In, values: b }] }]",
        [("DOC004", "filters[0].match_expressions[0].values", "b")],
        "[b]",
    ),
    "one filter that is not a list": (
        f"filters: {{ name: f, {DEV} }}",
        [("DOC004", "filters", f"{{ name: f, {DEV} }}")],
        f"[{{ name: f, {DEV} }}]",
    ),
    "weight of a filter": (
        f"filters: [{{ name: f, {DEV}, weight: 2 }}]",
        [("DOC001", "filters[0].weight", "weight")],
        "",
    ),
    "negative weight": (
        f"preferences: [{{ name: p, {DEV}, weight: -1 }}]",
        [("SKY006", "preferences[0].weight", "-1")],
        "1",
    ),
    "weight that is true": (
        f"preferences: [{{ name: p, {DEV}, weight: true }}]",
        [("DOC009", "preferences[0].weight", "true")],
        "",
    ),
}


def marked(text: str) -> list[tuple[str, str, str]]:
    """Return code, path within the spec, and marked text of the errors of *text*."""
    lines = text.splitlines()
    return [
        (
            each.code,
            each.path.removeprefix("spec."),
            lines[each.span.line - 1][each.span.column - 1 : each.span.end_column - 1],
        )
        for each in DIALECT.read(text, {}).errors
    ]


RULES = [pytest.param(*case, id=name) for name, case in {**REFUSED, **ALSO_REFUSED}.items()]


@pytest.mark.parametrize(("placement", "findings", "repaired"), RULES)
def test_placement_is_refused(
    placement: str, findings: list[tuple[str, str, str]], repaired: str
) -> None:
    text = template(placement)
    assert marked(text) == findings
    first = DIALECT.read(text, {}).errors[0]
    assert bool(first.fixes) == bool(repaired)
    if repaired:
        start = len(text.splitlines(keepends=True)[0] + text.splitlines(keepends=True)[1])
        expected = text[:start] + text[start:].replace(findings[0][2], repaired, 1)
        assert _without_spec(apply_fix(text, first.fixes[0])) == _without_spec(expected)
        assert DIALECT.read(apply_fix(text, first.fixes[0]), {}).ok


def _without_spec(text: str) -> str:
    return text.partition("spec:\n")[2]


@pytest.mark.parametrize(("placement", "findings", "repaired"), RULES)
def test_job_is_refused_for_the_same_rule(
    placement: str, findings: list[tuple[str, str, str]], repaired: str
) -> None:
    text = f"metadata: {{ name: j }}\nspec:\n  placement:\n    {placement}\n"
    reading = read_job(text)
    assert reading.job is None
    assert [
        (each.code, each.path.removeprefix("spec.placement."))
        for each in reading.diagnostics
        if each.severity is Severity.ERROR
    ] == [(code, path) for code, path, _ in findings]


ACCEPTED = {
    "labels in one filter and expressions in another": (
        f"filters: [{{ name: a, {DEV} }}, {{ name: b, match_expressions: "
        "[{ key: location, operator: In, values: [eu, us] }] }]"
    ),
    "the whole placement of my-job": """\
filters:
  - name: filter-1
    match_labels: { purpose: dev }
    match_expressions: [{ key: location, operator: NotIn, values: [eu] }]
  - name: filter-2
    match_labels: { purpose: staging }
    match_expressions: [{ key: location, operator: NotIn, values: [eu, ap] }]
preferences:
  - { name: pref-1, match_labels: { sky-cluster-name: mycluster-dev-1 }, weight: 100 }
  - name: pref-2
    match_labels: { purpose: dev }
    match_expressions: [{ key: location, operator: In, values: [na] }]
    weight: 50
  - { name: pref-3, match_labels: { purpose: dev }, weight: 25 }
""",
    "weight in quotes": f'preferences: [{{ name: p, {DEV}, weight: "50" }}]',
    "weight with a point": f"preferences: [{{ name: p, {DEV}, weight: 50.0 }}]",
    "filter and preference of one name": (
        f"filters: [{{ name: a, {DEV} }}]\npreferences: [{{ name: a, {DEV}, weight: 2 }}]"
    ),
    "name of 63 characters": f"filters: [{{ name: {'f' * 63}, {DEV} }}]",
    "empty label value": 'filters: [{ name: f, match_labels: { purpose: "" } }]',
    "empty lists": "filters: []\npreferences: []",
}


@pytest.mark.parametrize("placement", ACCEPTED.values(), ids=ACCEPTED)
def test_placement_is_accepted_without_findings(placement: str) -> None:
    assert DIALECT.read(template(placement), {}).diagnostics == ()


def test_the_rules_of_skyshift_are_complete() -> None:
    """Its own test file has 15 refusals and 2 accepted Jobs."""
    assert len(REFUSED) == 15
    assert list(ACCEPTED)[:2] == [
        "labels in one filter and expressions in another",
        "the whole placement of my-job",
    ]
