"""The client in an environment of its own: its command line, and what it makes of answers."""

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

#: These run inside the environment and import nothing of ours.
_INSIDE = Path(__file__).with_name("inside.py")
_WARM = Path(__file__).with_name("warm.py")

_COLORS = re.compile("\x1b\\[[0-9;]*m")


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


class Commands:
    """Programs of the environment, each a process of its own that has the client loaded already."""

    def __init__(self, host: str, home: Path) -> None:
        self.host = host
        self._process = subprocess.Popen(
            [ENVIRONMENT / "bin" / "python", _WARM],
            # The client reads where its server is when it is loaded.
            env=self.environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def environment(self, home: Path, **more: str) -> dict[str, str]:
        """Return the variables of a command: nothing of the machine's own, neither credentials."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "ANYSCALE_HOST": self.host,
            # It would ask the internet for a newer client, each time.
            "ANYSCALE_SUPPRESS_UPGRADE_WARNING": "1",
            **more,
        }

    def run(
        self, program: Path, arguments: Sequence[str], home: Path, token: str, typed: str
    ) -> Done:
        """Run *program* as somebody with *token* and the folder *home*."""
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
        return Done(status, *(_COLORS.sub("", file.read_text()) for file in files[1:]))

    def close(self) -> None:
        """End the process that has the client loaded."""
        self._process.communicate()


@dataclass(frozen=True, slots=True)
class AnyscaleClient:
    """The client of somebody with a token."""

    commands: Commands
    token: str
    #: Where it keeps its files.
    home: Path

    def cli(self, *arguments: str, typed: str = "") -> Done:
        """Run ``anyscale scheduler config`` with *arguments*; *typed* is what its user types."""
        return self._run(
            ENVIRONMENT / "bin" / "anyscale", ("scheduler", "config", *arguments), typed
        )

    def config(self, text: str) -> str:
        """Return the path of a file that holds *text*."""
        path = self.home / "config.yaml"
        path.write_text(text)
        return str(path)

    def ask(self, *calls: tuple[str, str, dict[str, Any]]) -> list[Any]:
        """Make *calls* as `inside.py` has them, and return what came of each."""
        asked = [{"of": of, "name": name, "arguments": given} for of, name, given in calls]
        done = self._run(_INSIDE, (), json.dumps(asked))
        assert done.status == 0, done
        answers: list[Any] = json.loads(done.out)
        return answers

    def _run(self, program: Path, arguments: Sequence[str], typed: str) -> Done:
        return self.commands.run(program, arguments, self.home, self.token, typed)
