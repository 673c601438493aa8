"""The JSON Schema for editors agrees with the parser, as far as a schema can express."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from console.dialects.skyshift import DIALECT

VALIDATOR = Draft202012Validator(DIALECT.schema())
FOLDER = Path(__file__).parent / "bad"
VALID = [FOLDER / "no-effect.yaml", FOLDER / "filter-policies.yaml"]

CLUSTER = "kind: Cluster\nmetadata: {name: a}\n"
TEMPLATE = "kind: PlacementTemplate\nmetadata: {name: a}\n"
POLICY = "kind: FilterPolicy\nmetadata: {name: a}\n"
SCHEDULER = "kind: Scheduler\n"


def errors(text: str) -> list[str]:
    """Return the paths of all schema errors, over all documents."""
    return sorted(
        "/".join(map(str, error.absolute_path))
        for document in yaml.safe_load_all(text)
        for error in VALIDATOR.iter_errors(document)
    )


def test_schema_is_valid() -> None:
    Draft202012Validator.check_schema(DIALECT.schema())


@pytest.mark.parametrize(
    "text",
    [
        *DIALECT.samples().values(),
        *(path.read_text("utf-8") for path in VALID),
        CLUSTER + "spec: {manager: k8s, num_nodes: 2, access_config: {host: a}}\nstatus: {}",
        "kind: Cluster\nmetadata: {name: 'a b', labels: {x: y, purpose: dev}, resource_version: 1}",
        SCHEDULER
        + "metadata: {name: s}\nspec: {plugins: [DefaultPlugin, {name: DefaultPlugin2}]}".replace(
            "DefaultPlugin2", "ClusterAffinityPluginV2"
        ),
        SCHEDULER + "spec: {rank: null}",
    ],
)
def test_schema_accepts_valid_objects(text: str) -> None:
    assert DIALECT.read(text, {}).ok
    assert errors(text) == []


def filters(item: str) -> str:
    """Return a template with one filter."""
    return f"{TEMPLATE}spec: {{filters: [{item}]}}"


def preferences(weight: str) -> str:
    """Return a template with one preference of *weight*."""
    item = f"{{name: p, match_labels: {{a: b}}, weight: {weight}}}"
    return f"{TEMPLATE}spec: {{preferences: [{item}]}}"


WRONG = {
    "metadata: {name: a}": "",
    "kind: Cluster": "",
    "kind: Cluster\nmetadata: {}": "metadata",
    CLUSTER + "spec: {bogus: 1}": "spec",
    CLUSTER + "spec: {manager: [k8s]}": "spec/manager",
    "kind: Cluster\nmetadata: {name: a, labels: {a: 1}}": "metadata/labels/a",
    "kind: Cluster\nmetadata: {name: a, labels: {' ': b}}": "metadata/labels",
    "kind: Cluster\nmetadata: {name: ' '}": "metadata/name",
    TEMPLATE.replace("name: a", "name: A_1"): "metadata/name",
    TEMPLATE + "spec: {filter: []}": "spec",
    filters("{match_labels: {a: b}}"): "spec/filters/0",
    filters("{name: F, match_labels: {a: b}}"): "spec/filters/0/name",
    filters("{name: f, match_labels: {a: b}, weight: 2}"): "spec/filters/0",
    filters("{name: f, match_expressions: {key: a, operator: In}}"): (
        "spec/filters/0/match_expressions"
    ),
    filters("{name: f, match_expressions: [{key: a, operator: Exists}]}"): (
        "spec/filters/0/match_expressions/0/operator"
    ),
    filters("{name: f, match_expressions: [{operator: In}]}"): (
        "spec/filters/0/match_expressions/0"
    ),
    filters("{name: f, match_expressions: [{key: a, operator: In, values: [1]}]}"): (
        "spec/filters/0/match_expressions/0/values/0"
    ),
    preferences("0"): "spec/preferences/0/weight",
    preferences("101"): "spec/preferences/0/weight",
    preferences("ten"): "spec/preferences/0/weight",
    preferences("'101'"): "spec/preferences/0/weight",
    preferences("99.9"): "spec/preferences/0/weight",
    POLICY + "spec: {cluster_filter: {include: a}}": "spec/cluster_filter/include",
    POLICY + "spec: {cluster_filter: {only: [a]}}": "spec/cluster_filter",
    POLICY + "spec: {labels_selector: {a: 1}}": "spec/labels_selector/a",
    SCHEDULER + "spec: {plugins: []}": "spec/plugins",
    SCHEDULER + "spec: {plugins: [{weight: 2}]}": "spec/plugins/0",
    SCHEDULER + "spec: {rank: best}": "spec/rank",
    SCHEDULER + "spec: {reserve: true}": "spec/reserve",
    SCHEDULER + "spec: {gpu_rule: head}": "spec/gpu_rule",
    SCHEDULER + "spec: {on_unplaceable: queue}": "spec/on_unplaceable",
}


@pytest.mark.parametrize(("text", "path"), WRONG.items())
def test_schema_rejects_what_the_parser_rejects(text: str, path: str) -> None:
    assert not DIALECT.read(text, {}).ok
    assert path in errors(text)
