"""What queues of a policy have from queues above them: properties, templates and access."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from console.engine.disciplines.hierarchy.properties import (
    QueueSettings,
    merged_properties,
    settings_of,
)
from console.engine.disciplines.hierarchy.resources import Resources, least
from console.engine.disciplines.hierarchy.spec import HierarchyQueue, HierarchySpec, Template


class InheritedTemplate(NamedTuple):
    """The template of leaves that rules create below a queue."""

    template: Template
    #: The queue that states it.
    queue: str


class Access(NamedTuple):
    """Who may submit to a queue, by lists of the queue and of those above it."""

    is_all_users: bool
    users: tuple[str, ...]
    groups: tuple[str, ...]


def on_path(spec: HierarchySpec, name: str) -> Iterator[HierarchyQueue]:
    """Yield a queue, also a created one, and the queues of the config above it."""
    queue = spec.queues.get(name) or spec.created_queue(name)
    if queue is not None:
        yield queue
        for above in spec.path(name):
            if above in spec.queues:
                yield spec.queues[above]


def properties_of(spec: HierarchySpec, name: str) -> dict[str, str]:
    """Return the properties of a queue: those that it states, and those that it inherits."""
    if name not in spec.queues:
        # A created queue has the properties of its template alone.
        return dict(next((each.properties for each in on_path(spec, name)), {}))
    found: dict[str, str] = {}
    for queue in reversed(list(on_path(spec, name))):
        found = merged_properties(queue.properties, found)
    return found


def settings_of_queue(spec: HierarchySpec, name: str) -> QueueSettings:
    """Return the settings that the properties of a queue set."""
    queue = spec.queues.get(name)
    return settings_of(properties_of(spec, name), is_leaf=queue is None or queue.is_leaf)


def template_of(spec: HierarchySpec, name: str) -> InheritedTemplate | None:
    """Return the template for leaves that rules create in or below a queue; None: there is none."""
    for queue in on_path(spec, name):
        if queue.template is not None:
            return InheritedTemplate(queue.template, queue.name)
    return None


def maximum_of(spec: HierarchySpec, name: str) -> Resources | None:
    """Return the smallest maximum on the path of a queue; None: there is none."""
    found: Resources | None = None
    for queue in on_path(spec, name):
        found = least(found, spec.compatibility.maximum(queue.maximum))
    return found


def submitters(spec: HierarchySpec, name: str) -> Access:
    """Return who may submit to a queue."""
    users: dict[str, None] = {}
    groups: dict[str, None] = {}
    is_all_users = False
    for queue in on_path(spec, name):
        for access in (queue.submit, queue.admin):
            is_all_users |= access.is_all_users
            users |= dict.fromkeys(sorted(access.users))
            groups |= dict.fromkeys(sorted(access.groups))
    return Access(is_all_users, tuple(users), tuple(groups))
