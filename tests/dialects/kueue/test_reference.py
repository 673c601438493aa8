"""The Kueue reference documents every field, and its examples are valid."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from console.dialects.fields import Shape
from console.dialects.kueue import DIALECT
from console.dialects.kueue.manifests import KINDS
from console.dialects.render import findings_to_text

TEXT = (Path(__file__).parents[3] / "docs" / "kueue-reference.md").read_text("utf-8")
MODULES = ("parse", "parse_configuration", "parse_flavor", "parse_groups", "parse_queue")
#: Fields that are documented as part of their parent, or have no effect here.
ELSEWHERE = {"timeAdded"}


def blocks(language: str) -> list[str]:
    """Return the code blocks of one language."""
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def shapes() -> list[Shape]:
    """Return every shape that the parsers declare, of all versions."""
    found: list[Shape] = []
    for name in MODULES:
        for value in vars(import_module(f"console.dialects.kueue.{name}")).values():
            found += [
                shape
                for shape in (value.values() if isinstance(value, dict) else [value])
                if isinstance(shape, Shape)
            ]
    return found


def test_every_field_and_kind_is_documented():
    assert len(shapes()) > 20
    fields = {key for shape in shapes() for key in shape.keys} - ELSEWHERE
    told = set(re.findall(r"[A-Za-z]+", TEXT))
    assert fields - told == set()
    assert set(KINDS) - told == set()


def test_the_examples_make_one_config_that_compiles():
    text = "".join(blocks("yaml"))
    reading = DIALECT.read(text, {})
    assert reading.diagnostics == ()
    assert reading.policy is not None
    assert list(reading.policy.queues) == ["vision"]


def test_documented_finding_is_the_actual_one():
    (console,) = blocks("console")
    config = """\
{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: research},
 spec: {parentName: all}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: { name: all }
spec:
  parentName: research
"""
    command, _, output = console.partition("\n")
    assert command == "$ python manage.py check_config --dialect kueue queues.yaml"
    assert (
        output
        == findings_to_text(DIALECT.read(config, {}).diagnostics, config, "queues.yaml") + "\n"
    )
