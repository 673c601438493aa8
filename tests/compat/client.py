"""The client in an environment of its own: its command line, and what it makes of answers."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent

#: Where `make test` installs the packages of requirements.lock.
ENVIRONMENT = ROOT / ".venv" / "anyscale"

MISSING = (
    "There is no anyscale client to test with: `make .venv/.anyscale` installs it, as `make test` "
    "does before it begins."
)

#: Runs inside the environment and imports nothing of ours.
_INSIDE = Path(__file__).with_name("inside.py")

_COLORS = re.compile("\x1b\\[[0-9;]*m")

#: Seconds that one command may take on a busy machine.
_PATIENCE = 60


@dataclass(frozen=True, slots=True)
class Done:
    """What a command printed, and how it ended."""

    status: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """What the user is told went wrong."""
        assert self.status == 1, self
        return self.err.rpartition("Error: ")[2].strip()


@dataclass(frozen=True, slots=True)
class AnyscaleClient:
    """The client of somebody with a token."""

    host: str
    token: str
    #: Where it keeps its files.
    home: Path

    def cli(self, *arguments: str, typed: str = "") -> Done:
        """Run ``anyscale scheduler config`` with *arguments*; *typed* is what its user types."""
        command = [str(ENVIRONMENT / "bin" / "anyscale"), "scheduler", "config", *arguments]
        return self._run(command, typed)

    def config(self, text: str) -> str:
        """Return the path of a file that holds *text*."""
        path = self.home / "config.yaml"
        path.write_text(text)
        return str(path)

    def ask(self, *calls: tuple[str, str, dict[str, Any]]) -> list[Any]:
        """Make *calls* as `inside.py` has them, and return what came of each."""
        asked = [{"of": of, "name": name, "arguments": given} for of, name, given in calls]
        command = [str(ENVIRONMENT / "bin" / "python"), str(_INSIDE)]
        done = self._run(command, json.dumps(asked))
        assert done.status == 0, done
        answers: list[Any] = json.loads(done.out)
        return answers

    def _run(self, command: Iterable[str], typed: str) -> Done:
        done = subprocess.run(
            list(command),
            input=typed,
            # Nothing of the machine's own: neither its credentials nor its proxies.
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.home),
                "ANYSCALE_HOST": self.host,
                "ANYSCALE_CLI_TOKEN": self.token,
                # It would ask the internet for a newer client, each time.
                "ANYSCALE_SUPPRESS_UPGRADE_WARNING": "1",
            },
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
        return Done(done.returncode, _COLORS.sub("", done.stdout), _COLORS.sub("", done.stderr))
