"""Templates that were not rendered are reported as such, at the line of their first tag."""

from __future__ import annotations

import pytest

from console.dialects import dialects
from console.dialects.base import Dialect
from console.dialects.codes import UNRENDERED_TEMPLATE

EVERY = pytest.mark.parametrize("dialect", [pytest.param(d, id=n) for n, d in dialects().items()])

#: Texts of Helm and Jinja templates, each with the line of the reported tag.
UNRENDERED = [
    ('{{ include "queues" . }}\nresource_queues: []\n', 1),
    ("{{ toYaml .Values.config }}", 1),
    ("{{- if .Values.enabled }}\nresource_queues: []\n{{- end }}\n", 1),
    ("{% if enabled %}\nresource_queues: []\n{% endif %}\n", 1),
    ("# Queues.\nresource_queues:\n  {{- range .Values.queues }}\n  - name: q\n", 3),
    ("resource_queues:\n{% for q in queues %}\n  - name: {{ q }}\n{% endfor %}\n", 2),
    ("kind: ClusterQueue\nmetadata: { name: {{ .Release.Name }}-cq }\n", 2),
    ("apiVersion: v1\nkind: {{ .Values.kind }}\n", 2),
]


@EVERY
@pytest.mark.parametrize(("text", "line"), UNRENDERED)
def test_template_is_reported_at_its_line(dialect: Dialect, text: str, line: int) -> None:
    found = [
        (each.span.line, each.message, each.hint)
        for each in dialect.read(text, {}).diagnostics
        if each.code == UNRENDERED_TEMPLATE.code
    ]
    tag = "{%" if "{%" in text.split("\n")[line - 1] else "{{"
    assert found == [
        (
            line,
            f"This looks like a template that was not rendered: {tag} is not YAML.",
            (
                "Render the template first, for example with `helm template`, and use its output; "
                "or write the value in its place."
            ),
        )
    ]


@EVERY
@pytest.mark.parametrize(
    "text",
    [
        "a: '{{ b }}'\nc: [1\n",
        "# {{ a }}\nc: [1\n",
        "a: |\n  {{ b }}\nc: [1\n",
        "a: {b: {c: d}}\ne: }\n",
    ],
)
def test_other_braces_are_not_reported_as_templates(dialect: Dialect, text: str) -> None:
    reading = dialect.read(text, {})
    codes = {each.code for each in reading.diagnostics}
    assert codes
    assert UNRENDERED_TEMPLATE.code not in codes
