"""Setup with make: a missing requirement of the machine is reported in one sentence."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (
            None,
            (
                "Sluice needs Python 3.11 or newer, and there is no {python}: install it, or name "
                "one with PY=."
            ),
        ),
        (
            'case "$2" in *version_info*) exit 1;; esac',
            "Sluice needs Python 3.11 or newer, and {python} is older: name another with PY=.",
        ),
        (
            'case "$2" in *ensurepip*) exit 1;; esac',
            (
                "{python} comes without its venv module: install it (on Debian and Ubuntu: "
                "apt install python3-venv)."
            ),
        ),
    ],
)
def test_missing_requirement_is_reported(tmp_path: Path, script: str | None, sentence: str) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "requirements.lock").touch()
    python = tmp_path / "python"
    if script is not None:
        python.write_text(f"#!/bin/sh\n{script}\n")
        python.chmod(0o755)
    done = subprocess.run(
        ["make", "run", f"PY={python}"],
        cwd=tmp_path,
        # Do not inherit the flags of the make that runs the tests.
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    first, *rest = done.stderr.splitlines()
    assert first == sentence.format(python=python)
    assert all(line.startswith("make") for line in rest)
    assert not (tmp_path / ".venv").exists()
