"""The checks of a config take a number of calls in proportion to its length."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from console.dialects.yunikorn import resource_checks
from tests.dialects.yunikorn.counted_calls import SHAPES, below
from tests.dialects.yunikorn.texts import read
from tests.product import PATIENCE, ROOT


def test_twice_the_text_takes_twice_the_calls() -> None:
    program = [sys.executable, "-m", "tests.dialects.yunikorn.counted_calls"]
    run = subprocess.run(program, cwd=ROOT, check=True, capture_output=True, timeout=PATIENCE)
    counts = json.loads(run.stdout)
    assert counts.keys() == {each.__name__ for each in SHAPES}
    assert {name: found for name, found in counts.items() if found[1] >= 2.1 * found[0]} == {}


def test_messages_are_written_for_problems_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource_checks, "show_original", None)
    stated = "resources: {guaranteed: {r0: 1}}"
    assert read(below("resources: {guaranteed: {r0: 2}}", stated, 2)).diagnostics == ()
