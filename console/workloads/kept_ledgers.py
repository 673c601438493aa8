"""
Cache of ledgers: the quota and usage of the queues of an organization, per web process.

An explanation needs the usage of every queue of a tree, but reads few running workloads. To
build and charge the ledger of a large tree is its most expensive part, and depends only on the
config and the engine's version. So ledgers are cached, each for use by one thread at a time.
After a write of the engine under the same config, only changes are charged again.
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

#: Maximum number of cached ledgers per process, and of charged queues in one of them.
MOST: Final = 4
LARGEST: Final = 5_000

_lock: Final = threading.Lock()
#: In order of use, the last used one last.
_kept: Final[list[Books]] = []


@contextmanager
def kept_books(org: Organization, engine: Engine) -> Iterator[Books]:
    """
    Yield the charged ledger of *org* under the config of *engine*, for the duration of the block.

    The block may charge the ledger further, if it reverts that before its end or marks the books
    as inexact.
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
    # After an error the charged amounts are unknown: then the lines below are not reached.
    yield books
    # The rows that were read belong to this version only if it has not changed since.
    if books.is_exact and len(books) <= LARGEST and (not books.was_read or is_current(engine)):
        _keep(books)


def forget_ledgers() -> None:
    """Clear the cache."""
    with _lock:
        _kept.clear()


def _take(org: Organization) -> Books | None:
    """Remove the books of *org* from the cache and return them, for use by one caller."""
    with _lock:
        for books in _kept:
            if books.org == org.pk:
                _kept.remove(books)
                return books
    return None


def _keep(books: Books) -> None:
    with _lock:
        # If two were in use at once, the one returned last stays.
        _kept[:] = [each for each in _kept if each.org != books.org]
        _kept.append(books)
        del _kept[:-MOST]
