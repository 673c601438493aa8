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
from console.workloads.models import Engine
from console.workloads.services.charged_ledger import ChargedLedger
from console.workloads.services.load_state import load_policy
from console.workloads.tree_cache import is_current, version_of

#: Maximum number of cached ledgers per process, and of charged queues in one of them.
MOST: Final = 4
LARGEST: Final = 5_000

_lock: Final = threading.Lock()
#: In order of use, the last used one last.
_cached: Final[list[ChargedLedger]] = []


@contextmanager
def cached_ledger(org: Organization, engine: Engine) -> Iterator[ChargedLedger]:
    """
    Yield the charged ledger of *org* under the config of *engine*, for the duration of the block.

    The block may charge the ledger further, if it reverts that before its end or marks it
    as inexact.
    """
    version = version_of(engine)
    charged = _take(org)
    if charged is None or charged.version != version:
        policy = load_policy(org, engine.config_version)
        if charged is None or charged.policy is not policy:
            charged = ChargedLedger(org, policy, version)
        else:
            charged.mark_outdated(version)
    charged.was_read = False
    # After an error the charged amounts are unknown: then the lines below are not reached.
    yield charged
    # The rows that were read belong to this version only if it has not changed since.
    if (
        charged.is_exact
        and len(charged) <= LARGEST
        and (not charged.was_read or is_current(engine))
    ):
        _store(charged)


def forget_ledgers() -> None:
    """Clear the cache."""
    with _lock:
        _cached.clear()


def _take(org: Organization) -> ChargedLedger | None:
    """Remove the ledger of *org* from the cache and return it, for use by one caller."""
    with _lock:
        for charged in _cached:
            if charged.org == org.pk:
                _cached.remove(charged)
                return charged
    return None


def _store(charged: ChargedLedger) -> None:
    with _lock:
        # If two were in use at once, the one returned last stays.
        _cached[:] = [each for each in _cached if each.org != charged.org]
        _cached.append(charged)
        del _cached[:-MOST]
