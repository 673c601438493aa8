"""A writer who is in no hurry leaves as much time to others as it takes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

#: Seconds of one pause at most.
_LONGEST: Final = 1.0


@contextmanager
def sharing() -> Iterator[None]:
    """
    Pause, once what is done inside is over, for as long as it took.

    The write lock of SQLite is unfair: who takes it again and again without a pause has all
    others wait.
    """
    begun = time.monotonic()
    yield
    time.sleep(min(_LONGEST, time.monotonic() - begun))
