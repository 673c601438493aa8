"""
Runs management commands in one process, which loads the code of the product once.

Each line of standard input is a command as a JSON list of arguments; each line of the output is an
object with its exit status, its output and its errors.
"""

from __future__ import annotations

import io
import json
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout

from django.core.management import execute_from_command_line


def main() -> None:
    """Run one command after the other."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
    for line in sys.stdin:
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            status = _status_of(json.loads(line))
        answer = {"status": status, "out": out.getvalue(), "err": err.getvalue()}
        print(json.dumps(answer), flush=True)


def _status_of(arguments: Sequence[str]) -> object:
    """Run a command, which closes its database connections, and return its exit status."""
    try:
        execute_from_command_line(["manage.py", *arguments])
    except SystemExit as end:
        return end.code
    except Exception:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    main()
