"""
Cache of complete trees of queues that a web process has read.

To read a tree takes as long as a search in it. A cached tree is valid for one version of the
engine and is used by one thread at a time. A few trees of limited size are cached.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from console.engine.state import State
from console.orgs.models import Organization
from console.workloads.models import Engine, Workload
from console.workloads.services.load_whole_tree import join_whole_tree, load_whole_tree

#: Maximum number of cached trees per process, and of workloads in one of them.
MOST: Final = 2
LARGEST: Final = 20_000


@dataclass(frozen=True, slots=True)
class _CachedTree:
    """A tree with its version and the names of its queues."""

    version: tuple[object, ...]
    state: State
    queue_names: frozenset[str]


_lock: Final = threading.Lock()
#: In order of use, the last used one last.
_cached: Final[list[_CachedTree]] = []


def version_of(engine: Engine) -> tuple[object, ...]:
    """
    Return a key that stays equal until the organization's engine writes.

    It contains a time, because a restored database counts up to the same version number again.
    """
    at = engine.settled_at.timestamp() if engine.settled_at else 0
    return engine.org_id, engine.version, at, engine.config_version


def is_current(engine: Engine) -> bool:
    """Return whether the engine has written nothing since *engine* was read."""
    now = Engine.objects.filter(org=engine.org_id).first()
    return now is not None and version_of(now) == version_of(engine)


@contextmanager
def cached_tree(
    org: Organization, workload: Workload, engine: Engine, *, may_load: bool = True
) -> Iterator[tuple[State, frozenset[str]] | None]:
    """
    Yield a state with the whole tree of pending *workload*, as `load_whole_tree` returns it.

    None if its queue is gone, or if no tree is cached and *may_load* is false. The block must not
    make decisions in the state.
    """
    cached = _take(engine, workload)
    if cached is not None:
        state, queue_names = cached.state, cached.queue_names
        join_whole_tree(state, org, workload)
    else:
        loaded = None
        if may_load:
            now = engine.advanced_to or 0
            loaded = load_whole_tree(org, workload, engine.config_version, now=now)
        if loaded is None:
            yield None
            return
        state, queue_names = loaded
    # After an error in the block, the changed tree is not cached: this line is not reached.
    yield state, queue_names
    is_cacheable = workload.queue is not None and len(state.running) + len(state.pending) <= LARGEST
    # The rows that were read belong to this version only if it has not changed since.
    if is_cacheable and is_current(engine):
        _store(_CachedTree(version_of(engine), state, queue_names))


def forget_trees() -> None:
    """Clear the cache."""
    with _lock:
        _cached.clear()


def _take(engine: Engine, workload: Workload) -> _CachedTree | None:
    """Remove the tree of a workload's queue from the cache and return it, for use by one caller."""
    version = version_of(engine)
    with _lock:
        for tree in _cached:
            if tree.version == version and workload.queue in tree.queue_names:
                _cached.remove(tree)
                return tree
    return None


def _store(tree: _CachedTree) -> None:
    with _lock:
        # Older trees of the organization are outdated.
        org_id = tree.version[0]
        _cached[:] = [
            each for each in _cached if each.version[0] != org_id or each.version == tree.version
        ]
        _cached[:] = [each for each in _cached if each.queue_names.isdisjoint(tree.queue_names)]
        _cached.append(tree)
        del _cached[:-MOST]
