"""The KAI reference documents every field and value, and its examples are valid."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from console.dialects.fields import Shape
from console.dialects.kai import DIALECT
from console.dialects.kai.job import (
    MINIMUM_OF_JOB,
    PREEMPTIBILITY_LABEL,
    SUBGROUP_LABEL,
    VERSIONS,
    read_job,
)
from console.dialects.kai.job_pods import DEVICES, FRACTION, MEMORY
from console.dialects.kai.manifests import KINDS, METADATA
from console.dialects.kai.parse_shard import ARGUMENTS, PLUGINS
from console.dialects.kai.routing import BUILT_IN_CLASSES, DEFAULT_QUEUE, QUEUE_LABELS
from console.engine.disciplines.fairshare.spec import (
    PlacementStrategy,
    QueueRule,
    ReclaimMethod,
    WindowKind,
)

TEXT = (Path(__file__).parents[3] / "docs" / "kai.md").read_text("utf-8")
MODULES = ("parse", "parse_node", "parse_shard")
CODE = set(re.findall(r"`([^`\n]+)`", TEXT))


def test_every_field_and_kind_is_documented() -> None:
    shapes = [
        value
        for name in MODULES
        for value in vars(import_module(f"console.dialects.kai.{name}")).values()
        if isinstance(value, Shape) and value is not METADATA
    ]
    assert len(shapes) > 5
    told = set(re.findall(r"\w+", TEXT))
    # When Kubernetes added a taint has no effect on anything.
    assert {key for shape in shapes for key in shape.keys} - told == {"timeAdded"}
    assert {*KINDS, *KINDS.values()} - CODE == set()


def test_every_argument_is_documented() -> None:
    arguments = {key for keys in PLUGINS.values() for key in keys}
    assert {*ARGUMENTS, *PLUGINS, *arguments} - CODE == set()


@pytest.mark.parametrize("words", [PlacementStrategy, QueueRule, ReclaimMethod, WindowKind])
def test_every_value_is_documented(words: type) -> None:
    assert {word.value for word in words} - CODE == set()


def test_labels_and_priority_classes_are_documented() -> None:
    assert {*QUEUE_LABELS, DEFAULT_QUEUE} - CODE == set()
    rows = re.findall(r"^\| `([\w-]+)` \| (\d+) \| (?:yes|no) \|$", TEXT, re.MULTILINE)
    assert {name: int(value) for name, value in rows} == BUILT_IN_CLASSES


def test_the_examples_are_read_without_findings() -> None:
    *configs, manifest = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    assert len(configs) == 2
    for example in configs:
        reading = DIALECT.read(example, {})
        assert reading.ok
        assert reading.diagnostics == ()
    submitted = read_job(manifest)
    assert submitted.ok
    assert submitted.diagnostics == ()


def test_labels_and_annotations_of_manifests_are_documented() -> None:
    own = {PREEMPTIBILITY_LABEL, SUBGROUP_LABEL, MINIMUM_OF_JOB, *VERSIONS, *VERSIONS.values()}
    assert own - CODE == set()
    assert {FRACTION, MEMORY, DEVICES} - set(re.findall(r"`([\w-]+): ", TEXT)) == set()
