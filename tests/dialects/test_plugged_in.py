"""The toy dialect and discipline, plugged in from two folders, pass the contract tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent

#: Contract tests of dialects, property tests of the discipline, and tests of pages.
_PROMISES: Final = (
    "tests/dialects/test_contract.py",
    "tests/dialects/assist/test_every_dialect.py",
    "tests/dialects/test_templates.py",
    "tests/dialects/test_config_schema.py",
    "tests/dialects/test_policy_objects.py",
    "tests/engine/slots_laws.py",
    "tests/pages/pages_of_toy.py",
)


def test_toy_scheduler_passes_the_contract_tests() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
            *("-k", "fifo or slots_laws or pages_of_toy", *_PROMISES),
        ],
        cwd=ROOT,
        # Its database is in memory, whichever database the other tests use.
        env={**os.environ, "TEST_DATABASE_URL": "", "SLUICE_SCHEDULERS": str(ROOT / "tests/toy")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
