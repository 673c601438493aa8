"""What the config says about one queue: properties, template, access and limits, with origins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from console.engine.disciplines.hierarchy.inheritance import (
    on_path,
    properties_of,
    template_of,
)
from console.engine.disciplines.hierarchy.requests import in_thousandths
from console.engine.disciplines.hierarchy.resources import NOTHING, Resources
from console.engine.disciplines.hierarchy.spec import AccessList, HierarchyQueue, HierarchySpec
from console.engine.disciplines.hierarchy.users import WILDCARD
from console.engine.model.origin import Origin
from console.engine.wording.words import cut, listed


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyLine:
    """A property as it counts in the queue."""

    name: str
    value: str
    #: The queue that states it, possibly with another value; the template's queue for a created
    #: queue.
    queue: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessLine:
    """Who may submit to the queue, or administer it, by the lists of one queue."""

    queue: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitLine:
    """A limit that counts in the queue, because it or a queue above states it."""

    queue: str
    #: Such as ``each of users ann and sue``.
    whose: str
    #: In thousandths; empty: none.
    resources: Mapping[str, int]
    #: 0: no limit.
    applications: int
    description: str
    origin: Origin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueProfile:
    """The settings of one queue."""

    name: str
    is_leaf: bool
    #: Whether a placement rule has created it, and the queue whose template it has; "": none.
    is_created: bool
    template_queue: str
    #: The most running applications; 0: no limit.
    applications: int
    properties: tuple[PropertyLine, ...]
    submit: tuple[AccessLine, ...]
    admin: tuple[AccessLine, ...]
    limits: tuple[LimitLine, ...]


def queue_profile(spec: HierarchySpec, name: str) -> QueueProfile | None:
    """Return what the config says about a queue; None if the config can have no such queue."""
    path = list(on_path(spec, name))
    if not path:
        return None
    queue, is_created = path[0], name not in spec.queues
    template = template_of(spec, name) if is_created else None
    template_queue = template.queue if template is not None else ""
    return QueueProfile(
        name=name,
        is_leaf=queue.is_leaf,
        is_created=is_created,
        template_queue=template_queue,
        applications=queue.applications,
        properties=tuple(
            PropertyLine(name=key, value=value, queue=template_queue or _stating(path, key))
            for key, value in sorted(properties_of(spec, name).items())
        ),
        submit=tuple(_access(path, lambda each: each.submit)),
        admin=tuple(_access(path, lambda each: each.admin)),
        limits=tuple(_limits(path)),
    )


def _stating(path: list[HierarchyQueue], key: str) -> str:
    return next(each.name for each in path if key in each.properties)


def _access(
    path: list[HierarchyQueue], of: Callable[[HierarchyQueue], AccessList]
) -> Iterator[AccessLine]:
    for each in path:
        words = access_words(of(each))
        if words:
            yield AccessLine(queue=each.name, words=words)


def access_words(access: AccessList) -> str:
    """
    Return the users and groups that an access list names; empty: none.

    >>> access_words(AccessList(users=frozenset({"sue", "ann"}), groups=frozenset({"staff"})))
    'users ann and sue, and group staff'
    """
    if access.is_all_users:
        return "all users"
    return ", and ".join(_named(sorted(access.users), sorted(access.groups)))


def _named(users: Iterable[str], groups: Iterable[str]) -> Iterator[str]:
    for noun, names in (("user", list(users)), ("group", list(groups))):
        if names:
            yield f"{noun}{'s' if len(names) > 1 else ''} {cut(names)}"


def _limits(path: list[HierarchyQueue]) -> Iterator[LimitLine]:
    for queue in path:
        for limit in queue.limits:
            yield LimitLine(
                queue=queue.name,
                whose=_whose(limit.users, limit.groups),
                resources=_amounts(limit.resources),
                applications=limit.applications,
                description=limit.description,
                origin=limit.origin,
            )


def _whose(users: tuple[str, ...], groups: tuple[str, ...]) -> str:
    """
    Return to whom a limit applies.

    >>> _whose(("sue", "*"), ("staff",))
    'user sue, every other user and group staff'
    """
    found = list(_named((each for each in users if each != WILDCARD), ()))
    if WILDCARD in users:
        found.append("every other user")
    found += _named((), (each for each in groups if each != WILDCARD))
    if WILDCARD in groups:
        found.append("all users without a named group together")
    return listed(found)


def _amounts(stated: Resources | None) -> Mapping[str, int]:
    return in_thousandths(stated or NOTHING)
