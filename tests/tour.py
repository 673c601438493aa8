"""The tour of the README, piece by piece: what its reader adds, submits and sees."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from console.dialects.native import DIALECT
from console.dialects.positions import apply_fix

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")


def with_mistake(text: str) -> str:
    """Return the demo's config with the two pieces that the reader adds."""
    queue, rule = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    for line, piece in (("resource_queues:\n", queue), ("scheduling_rules:\n", rule)):
        assert text.count(line) == 1
        text = text.replace(line, f"{line}{piece}\n")
    return text


def with_less(text: str) -> str:
    """Return the demo's config with half of its A100s under a new name, and no last rule."""
    for old, new in (
        ("name: ml_training\n", 'name: "ml_training:v2"\n'),
        ("resource_queue: ml_training\n", 'resource_queue: "ml_training:v2"\n'),
        ("nominal_quota: 64", "nominal_quota: 32"),
        ("\n  - resource_queue: default\n", ""),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def repaired(text: str) -> str:
    """Return *text* with the one fix that the editor offers."""
    (diagnostic,) = DIALECT.read(text, {}).diagnostics
    (fix,) = diagnostic.fixes
    return apply_fix(text, fix)


def submission() -> Any:
    """Return the body of the request that the reader sends."""
    found = re.search(r"-d '(\{.*?\})'", README, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def quotes() -> list[str]:
    """Return the sentences that the reader is shown."""
    return re.findall(r"^> (.+)$", README, re.MULTILINE)
