"""Texts of the README tour: config changes, a submission, and the quoted output."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from console.dialects.native import DIALECT
from console.dialects.positions import apply_fix

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")

#: The last rule of the demo.
_LAST_RULE = """
  - selector:
      - { key: team, operator: not_in, values: [research] }
    resource_queue: default
"""


def with_mistake(text: str) -> str:
    """Return the demo config with the two pieces that the tour adds."""
    queue, rule = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    for line, piece in (("resource_queues:\n", queue), ("scheduling_rules:\n", rule)):
        assert text.count(line) == 1
        text = text.replace(line, f"{line}{piece}\n")
    return text


def with_less(text: str) -> str:
    """Return the demo config with half of its A100s under a new name and without the last rule."""
    for old, new in (
        ("name: ml_training\n", 'name: "ml_training:v2"\n'),
        ("resource_queue: ml_training\n", 'resource_queue: "ml_training:v2"\n'),
        ("nominal_quota: 64", "nominal_quota: 32"),
        (_LAST_RULE, ""),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def repaired(text: str) -> str:
    """Return *text* with the only fix that the editor offers."""
    (diagnostic,) = DIALECT.read(text, {}).diagnostics
    (fix,) = diagnostic.fixes
    return apply_fix(text, fix)


def submission() -> Any:
    """Return the body of the request that the tour sends."""
    found = re.search(r"-d '(\{.*?\})'", README, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def quotes() -> list[str]:
    """Return the sentences that the tour quotes."""
    return re.findall(r"^> (.+)$", README, re.MULTILINE)
