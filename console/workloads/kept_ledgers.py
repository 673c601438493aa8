"""
Kept ledgers: what the queues of an organization own and use, as a web process last read it.

An explanation needs what every queue of a tree uses, and reads few of those who use it. To set up
the ledger of a large tree and to charge it costs more than all the rest, and depends on nothing
but the config and the version of the engine: so it is kept, for one thread at a time. When
the engine went on under the same config, only what changed is charged anew.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from console.orgs.models import Organization
from console.workloads.kept_trees import is_current, version_of
from console.workloads.models import Engine
from console.workloads.services.books import Books
from console.workloads.services.load_state import load_policy

#: Ledgers that a process keeps, and charged queues of one up to which it is kept.
MOST: Final = 4
LARGEST: Final = 5_000

_lock: Final = threading.Lock()
#: The one used last is the last one.
_kept: Final[list[Books]] = []


@contextmanager
def kept_books(org: Organization, engine: Engine) -> Iterator[Books]:
    """
    Have the books of *org* under the config of *engine*, for as long as the block takes.

    The block may charge the ledger with more if it takes that back before its end, or says
    that they are not exact.
    """
    version = version_of(engine)
    books = _take(org)
    if books is None or books.version != version:
        policy = load_policy(org, engine.config_version)
        if books is None or books.policy is not policy:
            books = Books(org, policy, version)
        else:
            books.go_on(version)
    books.was_read = False
    # After an error it is not known what is charged: this line is the last one then.
    yield books
    # What was read is of this version if that has not changed meanwhile.
    if books.is_exact and len(books) <= LARGEST and (not books.was_read or is_current(engine)):
        _keep(books)


def forget_ledgers() -> None:
    """Forget all."""
    with _lock:
        _kept.clear()


def _take(org: Organization) -> Books | None:
    """Return the books of *org* for one user at a time, until they are kept again."""
    with _lock:
        for books in _kept:
            if books.org == org.pk:
                _kept.remove(books)
                return books
    return None


def _keep(books: Books) -> None:
    with _lock:
        # Of two that were used at once, the one that was put back last.
        _kept[:] = [each for each in _kept if each.org != books.org]
        _kept.append(books)
        del _kept[:-MOST]
