"""
Kept trees: the whole trees of queues that a web process has read, while the engine rests.

Reading one takes as long as a search in it. It is good for one version of the engine, used by one
thread at a time, and forgotten for newer ones: a few trees of bounded size are kept.
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

#: Trees that a process keeps, and workloads of one up to which it is kept.
MOST: Final = 2
LARGEST: Final = 20_000


@dataclass(frozen=True, slots=True)
class _Kept:
    """A tree, of what it is, and the names of its queues."""

    version: tuple[object, ...]
    state: State
    known: frozenset[str]


_lock: Final = threading.Lock()
#: The one used last is the last one.
_kept: Final[list[_Kept]] = []


def version_of(engine: Engine) -> tuple[object, ...]:
    """
    Return what is equal as long as an organization's engine has written nothing.

    A database that was set back counts up to the same version again, at another moment.
    """
    at = engine.settled_at.timestamp() if engine.settled_at else 0
    return engine.org_id, engine.version, at, engine.config_version


def is_current(engine: Engine) -> bool:
    """Say whether the engine has written nothing since *engine* was read."""
    now = Engine.objects.filter(org=engine.org_id).first()
    return now is not None and version_of(now) == version_of(engine)


@contextmanager
def whole_tree(
    org: Organization, workload: Workload, engine: Engine, *, may_load: bool = True
) -> Iterator[tuple[State, frozenset[str]] | None]:
    """
    Have a state in which *workload* waits with its whole tree, as `load_whole_tree` returns it.

    None when its queue is gone; and when none is kept, unless one *may_load* it. Nothing may be
    decided in it.
    """
    found = _take(engine, workload)
    if found is not None:
        state, known = found.state, found.known
        join_whole_tree(state, org, workload)
    else:
        loaded = None
        if may_load:
            now = engine.advanced_to or 0
            loaded = load_whole_tree(org, workload, engine.config_version, now=now)
        if loaded is None:
            yield None
            return
        state, known = loaded
    # What was changed on it and failed is not kept: this line is not reached then.
    yield state, known
    is_kept = workload.queue is not None and len(state.running) + len(state.pending) <= LARGEST
    # What was read is of this version if that has not changed meanwhile.
    if is_kept and is_current(engine):
        _keep(_Kept(version_of(engine), state, known))


def forget_trees() -> None:
    """Forget all."""
    with _lock:
        _kept.clear()


def _take(engine: Engine, workload: Workload) -> _Kept | None:
    """Return the tree of a workload's queue for one user at a time, until it is kept again."""
    version = version_of(engine)
    with _lock:
        for kept in _kept:
            if kept.version == version and workload.queue in kept.known:
                _kept.remove(kept)
                return kept
    return None


def _keep(tree: _Kept) -> None:
    with _lock:
        # Of an organization that went on, what was read before is worth nothing.
        org_id = tree.version[0]
        _kept[:] = [
            each for each in _kept if each.version[0] != org_id or each.version == tree.version
        ]
        _kept[:] = [each for each in _kept if each.known.isdisjoint(tree.known)]
        _kept.append(tree)
        del _kept[:-MOST]
