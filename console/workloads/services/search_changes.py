"""
Search what would start a workload: within a deadline, one search at a time, and each one once.

An answer holds for one version of the organization's engine, so it is kept under that and shared
by all web processes. What is kept has ids alone: each reader gets the names that they may see.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Final

from django.core.cache import cache

from console.dialects import dialects
from console.engine.counterfactual import BUDGET, Findings, find_changes
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor
from console.workloads.kept_trees import is_current, version_of, whole_tree
from console.workloads.models import Engine, Workload
from console.workloads.stored_findings import findings_from_json, findings_to_json

#: Seconds of processor and of the clock after which a search ends, what it reads included.
PROCESSOR, WALL = 0.8, 4.0

#: Seconds for which an answer is kept, and characters up to which it is: an organization has one
#: search under way at a time for each asker, so this bounds how many there are.
KEPT_FOR: Final = 300
KEPT_SIZE: Final = 50_000


def search_changes(actor: Actor, workload: Workload) -> tuple[Findings, int] | None:
    """
    Return what would start a pending *workload*, and the version of the config it is told of.

    None where the rows are behind the engine, or its queue is gone. Raises TooManyQuestions when
    the actor, or the organization, has too many searches under way.
    """
    engine = Engine.objects.get(org=actor.org)
    key = _key(engine, workload)
    kept = cache.get(key)
    if kept is not None:
        return findings_from_json(json.loads(kept)), engine.config_version
    with expensive(Kind.ADVICE, actor.org.pk, actor.key):
        should_stop = deadline(PROCESSOR, WALL)
        found = search(workload, engine, should_stop)
    if found is None:
        return None
    text = json.dumps(findings_to_json(found))
    # What was read is of this version if that did not change meanwhile.
    if len(text) <= KEPT_SIZE and is_current(engine):
        cache.set(key, text, KEPT_FOR)
    return found, engine.config_version


def search(
    workload: Workload,
    engine: Engine,
    should_stop: Callable[[], bool],
    budget: int = BUDGET,
    note: Callable[[int, int], None] = lambda tried, of: None,
    *,
    is_thorough: bool = False,
) -> Findings | None:
    """
    Return what would start *workload*, as far as it is found until *should_stop* says so.

    *note* and *is_thorough* are those of `find_changes`. None when the rows are behind.
    """
    with whole_tree(workload.org, workload, engine) as loaded:
        if loaded is None:
            return None
        state, known = loaded
        if workload.uid not in state.pending or state.queue_of(workload.uid) != workload.queue:
            # The worker is about to move it.
            return None
        setting_values = dialects()[state.policy.dialect].setting_values
        return find_changes(
            state,
            workload.uid,
            budget,
            setting_values,
            known,
            should_stop,
            note,
            is_thorough=is_thorough,
        )


def deadline(processor: float, wall: float) -> Callable[[], bool]:
    """
    Return what says whether this thread has worked for so many seconds from now, or they are over.

    The processor's time counts: a busy machine makes a search slower, and not emptier.
    """
    until, over = time.thread_time() + processor, time.monotonic() + wall
    return lambda: time.thread_time() >= until or time.monotonic() >= over


def _key(engine: Engine, workload: Workload) -> str:
    return ":".join(("changes", *map(str, version_of(engine)), workload.uid))
