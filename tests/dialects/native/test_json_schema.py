"""The JSON Schema for editors agrees with the parser, as far as a schema can express."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from console.dialects.native import DIALECT
from tests.benchmarks.configs import large_config

VALIDATOR = Draft202012Validator(DIALECT.schema())


def errors(document: Any) -> list[str]:
    """Return the paths of all schema errors."""
    return sorted(
        "/".join(map(str, error.absolute_path)) for error in VALIDATOR.iter_errors(document)
    )


def test_schema_is_valid():
    Draft202012Validator.check_schema(DIALECT.schema())


@pytest.mark.parametrize("text", [*DIALECT.samples().values(), large_config(200), "", "{}"])
def test_schema_accepts_valid_configs(text: str):
    assert DIALECT.read(text, {}).ok
    assert errors(yaml.safe_load(text)) == []


WRONG = {
    "resource_flavors: [{}]": "resource_flavors/0",
    "resource_flavors: [{name: ' '}]": "resource_flavors/0/name",
    "resource_flavors: [{name: a, labels: {}}]": "resource_flavors/0",
    "resource_queues: [{name: a, preemption: {within_resource_queue: any}}]": (
        "resource_queues/0/preemption/within_resource_queue"
    ),
    "resource_queues: [{name: a, resource_groups: [{covered_resources: [ram], flavors: []}]}]": (
        "resource_queues/0/resource_groups/0/covered_resources/0"
    ),
    "scheduling_rules: [{resource_queue: a, priority_policy: {min: -1}}]": (
        "scheduling_rules/0/priority_policy/min"
    ),
    "rules: []": "",
}


@pytest.mark.parametrize(("text", "path"), WRONG.items())
def test_schema_rejects_what_the_parser_rejects(text: str, path: str):
    assert not DIALECT.read(text, {}).ok
    assert path in errors(yaml.safe_load(text))
