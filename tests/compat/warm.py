"""
Loads the anyscale client once and forks a process per command; runs in the client's environment.

Each line of standard input is a command: ``{"program", "arguments", "environment", "files"}``,
where *files* are the paths of its standard input, output and error. The answer is a line with its
exit status.
"""

import atexit
import gc
import json
import os
import runpy
import signal
import sys
import threading
import traceback

import anyscale.authenticate
import anyscale.scripts  # noqa: F401

#: Seconds that one command may take on a busy machine.
_PATIENCE = 60


def main() -> None:
    """Run each command in a forked process."""
    # The garbage collector of a forked process would copy the memory of all modules.
    gc.freeze()
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            end(become(asked))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def become(asked: dict) -> int:
    """
    Run the requested program in this process, as if it had been started on its own.

    Return its exit status.
    """
    signal.alarm(_PATIENCE)
    for number, path in enumerate(asked["files"]):
        os.dup2(os.open(path, os.O_RDWR), number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = [asked["program"], *asked["arguments"]]
    try:
        runpy.run_path(asked["program"], run_name="__main__")
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        print(ended.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def end(status: int) -> None:
    """
    End this process without freeing the objects of all modules.

    That takes ten times the processor time of a command.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    # A program may have replaced the streams.
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        stream.flush()
    os._exit(status)


main()
