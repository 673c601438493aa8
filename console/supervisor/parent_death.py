"""Parent death signal: ends a process with its parent, even if the parent is killed."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1

# Loaded before any fork: a child must not load libraries between fork and exec.
_LIBC: Final = ctypes.CDLL(None) if sys.platform == "linux" else None


def end_with_parent(parent: int) -> None:
    """
    Have Linux send this process SIGTERM when its parent, the process *parent*, ends.

    Exit at once if the parent has already ended. Other systems have no such signal.
    """
    if _LIBC is None:
        return
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)
