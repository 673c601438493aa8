"""Children of the supervisor: restarts do not depend on processes that a child leaves behind."""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path

from console.supervisor.children import Children
from console.supervisor.programs import CommandProgram

#: Program that exits at once and leaves a process in its own session that keeps the output open.
LEAVES_AN_HEIR = """
import subprocess, sys
print("begun", flush=True)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(2)"], start_new_session=True)
"""


def test_child_is_restarted_while_its_output_stays_open(tmp_path: Path) -> None:
    log = io.BytesIO()
    children = Children(str(tmp_path), log, named=True)
    command = [sys.executable, "-c", LEAVES_AN_HEIR]
    children.start(CommandProgram(name="test", command=command, environment=dict(os.environ)))
    for _ in range(2):
        child = None
        while child is None:
            children.forward(0.05)
            child = children.ended()
            time.sleep(0.01)
        assert children.revive(child)
    children.stop(children.names(), 2)
    assert children.names() == []
    assert log.getvalue().count(b"begun") >= 2
