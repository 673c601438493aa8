"""The anyscale client in a separate environment: its command line and its Python calls."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Sequence
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

#: Scripts that run inside that environment; they import nothing of Sluice.
_INSIDE = Path(__file__).with_name("inside.py")
_WARM = Path(__file__).with_name("warm.py")

_COLORS = re.compile("\x1b\\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Exit status and output of a command."""

    status: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The error message that the user sees."""
        assert self.status == 1, self
        return self.err.rpartition("Error: ")[2].strip()


class Commands:
    """Runs programs of the environment as processes in which the client is already loaded."""

    def __init__(self, host: str, home: Path) -> None:
        self.host = host
        self._process = subprocess.Popen(
            [ENVIRONMENT / "bin" / "python", _WARM],
            # The client reads the address of its server when it is loaded.
            env=self.environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def environment(self, home: Path, **more: str) -> dict[str, str]:
        """Return the environment of a command, without variables and credentials of the machine."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "ANYSCALE_HOST": self.host,
            # Without it, each command checks the internet for a newer client.
            "ANYSCALE_SUPPRESS_UPGRADE_WARNING": "1",
            **more,
        }

    def run(
        self, program: Path, arguments: Sequence[str], home: Path, token: str, typed: str
    ) -> CommandResult:
        """Run *program* with the API token *token* and the home folder *home*."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        files = [home / name for name in (".typed", ".out", ".err")]
        for file, text in zip(files, (typed, "", ""), strict=True):
            file.write_text(text)
        asked = {
            "program": str(program),
            "arguments": arguments,
            "environment": self.environment(home, ANYSCALE_CLI_TOKEN=token),
            "files": [str(file) for file in files],
        }
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        status = int(self._process.stdout.readline())
        return CommandResult(status, *(_COLORS.sub("", file.read_text()) for file in files[1:]))

    def close(self) -> None:
        """End the process that has the client loaded."""
        self._process.communicate()


@dataclass(frozen=True, slots=True)
class AnyscaleClient:
    """The client of a user with an API token."""

    commands: Commands
    token: str
    #: Home folder of the client.
    home: Path

    def cli(self, *arguments: str, typed: str = "") -> CommandResult:
        """Run ``anyscale scheduler config`` with *arguments*; *typed* is its standard input."""
        return self._run(
            ENVIRONMENT / "bin" / "anyscale", ("scheduler", "config", *arguments), typed
        )

    def config(self, text: str) -> str:
        """Return the path of a new file with *text*."""
        path = self.home / "config.yaml"
        path.write_text(text)
        return str(path)

    def ask(self, *calls: tuple[str, str, dict[str, Any]]) -> list[Any]:
        """Make *calls* in the format of `inside.py` and return the results."""
        asked = [{"of": of, "name": name, "arguments": given} for of, name, given in calls]
        done = self._run(_INSIDE, (), json.dumps(asked))
        assert done.status == 0, done
        answers: list[Any] = json.loads(done.out)
        return answers

    def _run(self, program: Path, arguments: Sequence[str], typed: str) -> CommandResult:
        return self.commands.run(program, arguments, self.home, self.token, typed)
