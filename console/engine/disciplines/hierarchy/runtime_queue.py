"""A queue at run time: of the config, created by a placement rule, or left from a former config."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from console.engine.disciplines.hierarchy.properties import QueueSettings
from console.engine.disciplines.hierarchy.resources import Resources
from console.engine.disciplines.hierarchy.spec import (
    ROOT,
    AccessList,
    HierarchyQueue,
    Limit,
    Template,
)

#: The path of the queue for applications that have to be accepted.
RECOVERY_PATH: Final = f"{ROOT}.@recovery@"

NO_ACCESS: Final = AccessList()


class QueueStatus(StrEnum):
    """Whether a queue takes applications."""

    ACTIVE = "Active"
    #: The config does not have it any more: it takes no application, and goes when it is empty.
    DRAINING = "Draining"


class RuntimeQueue:
    """
    A queue of a tree.

    The tree alone changes it, except for its accounting.
    """

    #: The attributes that a config, a template and tags set.
    SET: Final = (
        "is_leaf",
        "is_managed",
        "status",
        "guaranteed",
        "maximum",
        "applications",
        "properties",
        "settings",
        "template",
        "submit",
        "admin",
        "limits",
    )

    __slots__ = ("children", "depth", "name", "parent", "path", "spec", *SET)

    def __init__(
        self, path: str, parent: RuntimeQueue | None, *, is_leaf: bool, is_managed: bool
    ) -> None:
        #: The names down from the root in lower case, with dots between them.
        self.path = path
        #: The last name of the path.
        self.name = path.rpartition(".")[2]
        self.parent = parent
        #: The number of queues above it.
        self.depth: int = 0 if parent is None else parent.depth + 1
        #: By name.
        self.children: dict[str, RuntimeQueue] = {}
        #: The queue in the config; None: the config has none of this path.
        self.spec: HierarchyQueue | None = None
        #: Whether it takes applications, and no other queues below it.
        self.is_leaf = is_leaf
        #: Whether it came from a config, rather than from a placement rule.
        self.is_managed = is_managed
        self.status = QueueStatus.ACTIVE
        self.guaranteed: Resources | None = None
        self.maximum: Resources | None = None
        #: The most running applications in it and below it; 0: no limit.
        self.applications = 0
        #: Its own, and those that it inherits.
        self.properties: Mapping[str, str] = {}
        self.settings = QueueSettings()
        #: That of new leaves below it: its own, or that of the nearest queue above that has one.
        self.template: Template | None = None
        self.submit = NO_ACCESS
        self.admin = NO_ACCESS
        self.limits: tuple[Limit, ...] = ()

    def __repr__(self) -> str:
        return f"RuntimeQueue({self.path!r})"

    @property
    def is_draining(self) -> bool:
        """Whether it takes no applications, because the config does not have it any more."""
        return self.status is QueueStatus.DRAINING

    @property
    def is_removable(self) -> bool:
        """Whether it goes when it is empty."""
        return not self.is_managed or self.is_draining

    def with_those_above(self) -> Iterator[RuntimeQueue]:
        """Yield the queue and those above it, the nearest first."""
        queue: RuntimeQueue | None = self
        while queue is not None:
            yield queue
            queue = queue.parent

    def may_submit(self, user: str, groups: Iterable[str]) -> bool:
        """Return whether a user may submit applications to it: a list here or above names them."""
        if self.path == RECOVERY_PATH:
            return False
        named = tuple(groups)
        return any(
            queue.submit.allows(user, named) or queue.admin.allows(user, named)
            for queue in self.with_those_above()
        )

    def may_administer(self, user: str, groups: Iterable[str]) -> bool:
        """Return whether a user is an admin of it or of a queue above it."""
        named = tuple(groups)
        return any(queue.admin.allows(user, named) for queue in self.with_those_above())


class ChangeKind(StrEnum):
    """What happened to a queue."""

    CREATED = "created"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueChange:
    """A change of a tree."""

    kind: ChangeKind
    queue: RuntimeQueue
    #: For a changed queue: its changed attributes of `RuntimeQueue.SET`, with the former values.
    before: Mapping[str, object] = field(default_factory=dict)
