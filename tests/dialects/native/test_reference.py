"""The config reference documents every field, and its examples are valid."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from console.dialects.fields import Shape
from console.dialects.native import DIALECT
from console.dialects.render import findings_to_text

TEXT = (Path(__file__).parents[3] / "docs" / "config-reference.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    """Return the code blocks of one language."""
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_every_field_is_documented():
    # The package exports a function with the name of the module.
    parse = import_module("console.dialects.native.parse")
    shapes = [shape for shape in vars(parse).values() if isinstance(shape, Shape)]
    assert len(shapes) == 10
    fields = {key for shape in shapes for key in shape.keys}
    untold = {field for field in fields if f"`{field}`" not in TEXT and f"{field}:" not in TEXT}
    assert untold == set()


def test_the_examples_make_one_config_that_compiles():
    outline, *parts = blocks("yaml")
    assert DIALECT.read(outline, {}).diagnostics == ()
    reading = DIALECT.read("".join(parts), {})
    assert reading.diagnostics == ()
    assert reading.policy is not None
    assert list(reading.policy.queues) == ["training", "default"]


def test_documented_finding_is_the_actual_one():
    (console,) = blocks("console")
    config = """\
resource_flavors: [{ name: f }]

resource_queues:
  - name: q
    resource_groups:
      - covered_resources: [memory]
        flavors: [{ name: f }]
scheduling_rules: [{ resource_queue: q }]
"""
    command, _, output = console.partition("\n")
    assert command == "$ python manage.py check_config scheduler.yaml"
    assert (
        output
        == findings_to_text(DIALECT.read(config, {}).diagnostics, config, "scheduler.yaml") + "\n"
    )
