"""
Loads the anyscale client once and forks a process per command; runs in the client's environment.

Each line of standard input is a command: ``{"program", "arguments", "environment", "files"}``,
where *files* are the paths of its standard input, output and error. The answer is a line with its
exit status.
"""

import json
import os
import runpy
import signal
import sys

import anyscale.authenticate
import anyscale.scripts  # noqa: F401

#: Seconds that one command may take on a busy machine.
_PATIENCE = 60


def main() -> None:
    """Run each command in a forked process."""
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            become(asked)
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def become(asked: dict) -> None:
    """Run the requested program in this process, as if it had been started on its own."""
    signal.alarm(_PATIENCE)
    for number, path in enumerate(asked["files"]):
        os.dup2(os.open(path, os.O_RDWR), number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = [asked["program"], *asked["arguments"]]
    runpy.run_path(asked["program"], run_name="__main__")


main()
