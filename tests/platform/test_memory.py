"""What a web process keeps of memory that it does not use any more."""

from __future__ import annotations

import subprocess
import sys

#: Makes large buffers between small ones that stay, frees the large ones, and prints how many MiB
#: of the process are in memory beyond those at the start.
_PROGRAM = """
import os, sys
from pathlib import Path
from console.server.memory import return_large_buffers

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

if sys.argv[1] == "returns":
    return_large_buffers()
# The C library learns from it that buffers of this size come and go.
large = bytearray(512 * 1024)
del large
before, large, small = resident(), [], []
for _ in range(400):
    large.append(bytearray(b"x") * 400_000)
    small.append(bytearray(b"x") * 2_000)
large.clear()
print(resident() - before)
"""


def _kept(how: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, how], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_the_memory_of_large_buffers_goes_back() -> None:
    assert _kept("keeps") > 100
    assert _kept("returns") < 10
