"""Importing the engine or a dialect loads neither Django nor Celery."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

_PROBE = """
import importlib, json, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


@pytest.mark.parametrize(
    ("package", "foreign"),
    [
        ("console.engine", set()),
        ("console.dialects", {"yaml"}),
        ("console.traffic", set()),
        ("console.bench", set()),
    ],
)
def test_a_fresh_interpreter_loads_nothing_else(package: str, foreign: set[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{_PROBE}",
         package],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    loaded = set(json.loads(done.stdout)) - set(sys.stdlib_module_names)
    unwanted = {"django", "celery", "kombu", "redis", "rest_framework", "structlog", "yaml"}
    assert loaded & unwanted == foreign
