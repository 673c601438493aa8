"""
Search changes that would start a workload, with a deadline and a limit on concurrent searches.

Findings are valid for one version of the organization's engine, so they are cached by version and
shared by all web processes. They contain only ids, because names depend on the reader.
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
from console.workloads.models import Engine, State, Workload
from console.workloads.stored_findings import findings_from_json, findings_to_json
from console.workloads.tree_cache import cached_tree, is_current, version_of

#: Limits of a search in seconds of processor time and of wall time, including reads.
PROCESSOR, WALL = 0.8, 4.0

#: Seconds for which findings are cached, and maximum number of characters of cached findings. An
#: organization has one search at a time for each actor, which limits the number of entries.
KEPT_FOR: Final = 300
KEPT_SIZE: Final = 50_000


def search_changes(actor: Actor, workload: Workload) -> tuple[Findings, int] | None:
    """
    Return changes that would start a pending *workload*, and the config version of the findings.

    A rejected workload is searched as if it were submitted again. None if the rows are outdated or
    the queue is gone. Raises TooManyQuestions if the actor or the organization has too many
    concurrent searches.
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
    # The rows that were read belong to this version only if it has not changed since.
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
    Return changes that would start *workload*, as far as they are found until *should_stop*.

    *note* and *is_thorough* are those of `find_changes`. None if the rows are outdated.
    """
    with cached_tree(workload.org, workload, engine) as loaded:
        if loaded is None:
            return None
        state, known = loaded
        if workload.uid not in state.pending or state.queue_of(workload.uid) != workload.queue:
            # The worker is about to move it.
            return None
        setting_values = dialects()[state.policy.dialect].setting_values
        is_rejected = workload.state == State.REJECTED
        found = find_changes(
            state,
            workload.uid,
            budget,
            setting_values,
            known,
            should_stop,
            note,
            is_thorough=is_thorough,
            is_rejected=is_rejected,
        )
        if is_rejected:
            # The cached tree is also used for workloads that do wait.
            state.finish(workload.uid)
        return found


def deadline(processor: float, wall: float) -> Callable[[], bool]:
    """
    Return a function that returns whether one of these numbers of seconds has passed.

    *processor* counts the processor time of this thread: on a busy machine a search takes longer,
    but does not find less.
    """
    until, over = time.thread_time() + processor, time.monotonic() + wall
    return lambda: time.thread_time() >= until or time.monotonic() >= over


def _key(engine: Engine, workload: Workload) -> str:
    return ":".join(("changes", *map(str, version_of(engine)), workload.uid))
