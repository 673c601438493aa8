"""The SkyShift reference documents every field and value, and its examples are valid."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from console.dialects.fields import Shape
from console.dialects.skyshift import DIALECT, read_job
from console.dialects.skyshift.manifests import KINDS, OTHER_KINDS
from console.dialects.skyshift.names import sanitized
from console.engine.disciplines.placement.spec import (
    STANDARD_PLUGINS,
    GpuRule,
    OnUnplaceable,
    Operator,
    PlacementSpec,
    Rank,
    Reserve,
)
from tests.dialects.skyshift.texts import job

TEXT = (Path(__file__).parents[3] / "docs" / "skyshift.md").read_text("utf-8")
MODULES = ("job", "manifests", "parse", "parse_placement", "parse_scheduler")
CODE = set(re.findall(r"`([^`\n]+)`", TEXT))


def test_every_field_and_kind_is_documented() -> None:
    shapes = [
        value
        for name in MODULES
        for value in vars(import_module(f"console.dialects.skyshift.{name}")).values()
        if isinstance(value, Shape)
    ]
    assert len(shapes) > 10
    told = set(re.findall(r"\w+", TEXT))
    assert {key for shape in shapes for key in shape.keys} - told == set()
    assert {*KINDS, *OTHER_KINDS} - told == set()


@pytest.mark.parametrize("words", [OnUnplaceable, Reserve, GpuRule, Rank, Operator])
def test_every_value_is_documented(words: type) -> None:
    assert {word.value for word in words} - CODE == set()


def test_documented_defaults_are_those_of_an_empty_spec() -> None:
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| `([^|]*)` \|", TEXT, re.MULTILINE)
    told = {name: default.replace("`", "").split(", ") for name, default in rows}
    empty = PlacementSpec()
    for name in ("on_unplaceable", "reserve", "gpu_rule", "rank"):
        assert told[name] == [getattr(empty, name)]
    assert told["plugins"] == [each.name for each in STANDARD_PLUGINS]


def test_the_examples_are_read_without_findings() -> None:
    config, manifest = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    reading = DIALECT.read(config, {})
    assert reading.ok
    assert reading.diagnostics == ()
    assert manifest == DIALECT.job_sample
    submitted = read_job(manifest, reading.policy)
    assert submitted.ok
    assert submitted.diagnostics == ()


def test_documented_replacements_are_the_actual_ones() -> None:
    rows = re.findall(r"^\| (space|`.`) \| `(-\w+-)` \|$", TEXT, re.MULTILINE)
    told = {" " if written == "space" else written.strip("`"): new for written, new in rows}
    assert told == {each: sanitized(each) for each in " /@_"}


@pytest.mark.parametrize(
    ("size", "megabytes"),
    [
        ("128", 128),
        *((size, 128) for size in ("128M", "128MB", "128Mi", "128m", "128MX")),
        ("1.5G", 1536),
        ('"128"', 131_072),
        *((size, None) for size in ('"128 Mi"', "abc", "-5")),
    ],
)
def test_documented_sizes_are_read_as_documented(size: str, megabytes: int | None) -> None:
    assert size in CODE
    found = read_job(job(f"{{ memory: {size} }}")).job
    if megabytes is None:
        assert found is None
    else:
        assert found is not None
        assert found["pod_sets"][0]["requests"] == {"memory": megabytes * 2**20}
