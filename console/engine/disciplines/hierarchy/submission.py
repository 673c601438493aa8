"""The submission of an application: its user, its id, its queue; in that order."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Final

from console.engine.disciplines.hierarchy.placement import Application, Placement, place
from console.engine.disciplines.hierarchy.runtime_queue import (
    RECOVERY_PATH,
    QueueChange,
    RuntimeQueue,
)
from console.engine.disciplines.hierarchy.spec import PlacementRule
from console.engine.disciplines.hierarchy.tree import CreationRefused, RuntimeTree
from console.engine.disciplines.hierarchy.users import groups_of

#: The user and the group of an application that has to be accepted and states no valid user.
FALLBACK_USER: Final = "nobody"
FALLBACK_GROUP: Final = "nogroup"

NO_USER: Final = "empty user cannot resolve"
BAD_USER: Final = "invalid username, it contains invalid characters"

_USER_NAME: Final = re.compile(r"[_a-zA-Z][a-zA-Z0-9:#/_.@-]*[$]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """An application that has a queue, or the reason why it has none."""

    #: With the user and groups that count.
    application: Application
    queue: RuntimeQueue | None = None
    #: None: it was refused before the rules were asked.
    placement: Placement | None = None
    #: Queues that were created for it.
    changes: Sequence[QueueChange] = ()
    #: YuniKorn's message for the refusal; empty if it has a queue.
    message: str = ""


def submit(
    tree: RuntimeTree,
    rules: Sequence[PlacementRule],
    application: Application,
    known: Container[str],
    partition: str,
) -> Submission:
    """
    Find the queue of an application, and create it if a rule says so.

    *known* are the ids of the applications that have not ended. *partition* is the name of the
    partition in messages. Tags are not applied: the caller may have reasons to refuse, too.
    """
    identified = identify(application)
    if isinstance(identified, str):
        return Submission(application=application, message=identified)
    if identified.id in known:
        message = (
            f"adding application {identified.id} to partition {partition}, "
            "but application already existed"
        )
        return Submission(application=identified, message=message)
    placement = place(tree, rules, identified)
    found = Submission(application=identified, placement=placement)
    if placement.queue is None:
        return replace(found, message=placement.message(identified.id))
    try:
        changes = _create(tree, placement.queue, identified)
    except CreationRefused as refused:
        message = not_created(placement.queue, identified.id, str(refused))
        return replace(found, message=message)
    queue = tree.find(placement.queue)
    if queue is None or not queue.is_leaf:
        message = f"failed to find queue {placement.queue} for application {identified.id}"
        return replace(found, message=message)
    return replace(found, queue=queue, changes=tuple(changes))


def identify(application: Application) -> Application | str:
    """
    Return the application with the user and groups that count, or YuniKorn's refusal.

    Without groups, a user has one group with the name of the user. An application that has to be
    accepted and states no valid user gets `FALLBACK_USER`.
    """
    problem = None
    if not application.user:
        problem = NO_USER
    elif application.groups and not _USER_NAME.fullmatch(application.user):
        problem = BAD_USER
    if problem is not None and application.is_forced:
        return replace(application, user=FALLBACK_USER, groups=(FALLBACK_GROUP,))
    if problem is not None:
        return problem
    return replace(application, groups=groups_of(application.user, application.groups))


def not_created(queue: str, application: str, refusal: str) -> str:
    """Return YuniKorn's message that the queue for an application could not be created."""
    kind = "recovery" if queue == RECOVERY_PATH else "rule based"
    return f"failed to create {kind} queue {queue} for application {application}\n{refusal}"


def _create(tree: RuntimeTree, path: str, application: Application) -> list[QueueChange]:
    if path == RECOVERY_PATH:
        return tree.create_recovery()
    return tree.create(path, application.user, application.groups)
