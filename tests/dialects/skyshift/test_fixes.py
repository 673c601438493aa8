"""Fixes are exact edits, in block style, in flow style and in JSON."""

from __future__ import annotations

import pytest

from console.dialects.positions import apply_fix
from console.dialects.skyshift import DIALECT
from tests.dialects.skyshift.texts import HEAD

FILTER = HEAD + "  filters:\n    - name: f\n"

#: Text, code and title of the fix, and the repaired text.
FIXES = {
    "a mapping becomes a list item": (
        FILTER
        + "      match_expressions:\n        key: a  # the key\n\n        operator: In\n"
        + "        values:\n          - b\n# end\n",
        ("DOC004", "Make it a list item"),
        FILTER
        + "      match_expressions:\n        - key: a  # the key\n\n          operator: In\n"
        + "          values:\n            - b\n# end\n",
    ),
    "a mapping in flow style becomes a list": (
        FILTER + "      match_expressions: { key: a, operator: In, values: [b] }\n",
        ("DOC004", "Make it a list"),
        FILTER + "      match_expressions: [{ key: a, operator: In, values: [b] }]\n",
    ),
    "a mapping in JSON becomes a list": (
        (
            '{"kind": "PlacementTemplate", "metadata": {"name": "t"}, "spec": {"filters": {"name": '
            '"f", "match_labels": {"a": "b"}}}}'
        ),
        ("DOC004", "Make it a list"),
        (
            '{"kind": "PlacementTemplate", "metadata": {"name": "t"}, "spec": {"filters": '
            '[{"name": "f", "match_labels": {"a": "b"}}]}}'
        ),
    ),
    "one plugin becomes a list": (
        "kind: Scheduler\nspec:\n  plugins: DefaultPlugin\n",
        ("DOC004", "Make it a list"),
        "kind: Scheduler\nspec:\n  plugins: [DefaultPlugin]\n",
    ),
    "plugins change places": (
        (
            "kind: Scheduler\nspec:\n  plugins:\n"
            "    - { name: ClusterAffinityPluginV2, weight: 2 }\n    - DefaultPlugin  # last\n"
        ),
        ("SKY008", "Put DefaultPlugin first"),
        (
            "kind: Scheduler\nspec:\n  plugins:\n    - DefaultPlugin\n"
            "    - { name: ClusterAffinityPluginV2, weight: 2 }  # last\n"
        ),
    ),
    "the default plugin is added to a list in block style": (
        "kind: Scheduler\nspec:\n  plugins:\n  - ClusterAffinityPluginV2\n",
        ("SKY008", "Add DefaultPlugin"),
        "kind: Scheduler\nspec:\n  plugins:\n  - DefaultPlugin\n  - ClusterAffinityPluginV2\n",
    ),
    "the default plugin is added to a list in flow style": (
        "kind: Scheduler\nspec:\n  plugins: [ClusterAffinityPluginV2]\n",
        ("SKY008", "Add DefaultPlugin"),
        "kind: Scheduler\nspec:\n  plugins: [DefaultPlugin, ClusterAffinityPluginV2]\n",
    ),
    "a plugin is misspelled": (
        "kind: Scheduler\nspec:\n  plugins: [DefaultPlugin, ClusterAffinityPluginV3]\n",
        ("SKY007", 'Replace with "ClusterAffinityPluginV2"'),
        "kind: Scheduler\nspec:\n  plugins: [DefaultPlugin, ClusterAffinityPluginV2]\n",
    ),
    "a cluster gets the name that SkyShift gives it": (
        'kind: Cluster\nmetadata: { name: "dev 1@eu/west_2" }\n',
        ("SKY043", 'Replace with "dev-space-1-at-eu-dash-west-underscore-2"'),
        "kind: Cluster\nmetadata: { name: dev-space-1-at-eu-dash-west-underscore-2 }\n",
    ),
    "a kind is in another case": (
        "kind: cluster\nmetadata: { name: a }\n",
        ("SKY001", 'Replace with "Cluster"'),
        "kind: Cluster\nmetadata: { name: a }\n",
    ),
}


@pytest.mark.parametrize(("text", "fix", "repaired"), FIXES.values(), ids=FIXES)
def test_fix_is_an_exact_edit(text: str, fix: tuple[str, str], repaired: str) -> None:
    found = [
        (each.code, repair)
        for each in DIALECT.read(text, {}).diagnostics
        for repair in each.fixes
        if (each.code, repair.title) == fix
    ]
    assert [apply_fix(text, repair) for _, repair in found] == [repaired]
    assert DIALECT.read(repaired, {}).ok


#: Mappings where the text does not show how to make a list of them.
UNCLEAR = {
    "an alias": HEAD + "  filters: &f\n    name: f\n    match_labels: { a: b }\n",
    "a comment": HEAD + "  filters:  # all\n    name: f\n    match_labels: { a: b }\n",
}


@pytest.mark.parametrize("text", UNCLEAR.values(), ids=UNCLEAR)
def test_unclear_mapping_has_no_fix(text: str) -> None:
    (error,) = DIALECT.read(text, {}).errors
    assert (error.code, error.path, error.fixes) == ("DOC004", "spec.filters", ())
