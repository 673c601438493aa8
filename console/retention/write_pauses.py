"""Pauses of background writers, so that they share the write lock of SQLite fairly."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

#: Maximum length of one pause in seconds.
_LONGEST: Final = 1.0


@contextmanager
def pause_after() -> Iterator[None]:
    """
    Pause after the block for as long as the block took.

    The write lock of SQLite is unfair: a process that takes it repeatedly without pauses blocks
    all others.
    """
    begun = time.monotonic()
    yield
    time.sleep(min(_LONGEST, time.monotonic() - begun))
