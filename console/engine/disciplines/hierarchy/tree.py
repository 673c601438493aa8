"""The queues of a partition at run time: they follow the config, placement rules and time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from console.engine.disciplines.hierarchy.properties import (
    SortPolicy,
    merged_properties,
    settings_of,
)
from console.engine.disciplines.hierarchy.quota_tags import read_quota_tags
from console.engine.disciplines.hierarchy.resources import Resources, is_positive
from console.engine.disciplines.hierarchy.runtime_queue import (
    RECOVERY_PATH,
    ChangeKind,
    QueueChange,
    QueueStatus,
    RuntimeQueue,
)
from console.engine.disciplines.hierarchy.spec import (
    DEFAULT_PARTITION,
    ROOT,
    Compatibility,
    HierarchyQueue,
    HierarchySpec,
    Limit,
    Partition,
    Template,
)

#: What the name of a queue has to match.
QUEUE_NAME: Final = re.compile(r"[a-zA-Z0-9_:#/@-]{1,64}")

#: YuniKorn's message for any other name.
BAD_NAME: Final = (
    "invalid queue name, max 64 characters consisting of alphanumeric characters and "
    "'-', '_', '#', '@', '/', ':' allowed"
)


class CreationRefused(Exception):
    """A queue was not created; the text is YuniKorn's message."""


def limits_of(
    compatibility: Compatibility, queues: Iterable[RuntimeQueue]
) -> dict[str, tuple[Limit, ...]]:
    """Return the limits of users and groups that count, by path of the queue."""
    return {
        queue.path: queue.limits
        for queue in queues
        if queue.limits
        and (
            not compatibility.limits_by_spelling
            or queue.spec is None
            or queue.spec.spelling == queue.path
        )
    }


class RuntimeTree:
    """
    The queues of one partition.

    Its methods return what they changed. Except for `update` and `clean`, they take no longer in
    a tree of many queues.
    """

    def __init__(self, partition: str = DEFAULT_PARTITION) -> None:
        self.partition = partition
        self.compatibility = Compatibility()
        self.root = RuntimeQueue(ROOT, None, is_leaf=False, is_managed=True)
        self.root.settings = settings_of({}, is_leaf=False)
        #: By path, each after the one above it.
        self._queues = {ROOT: self.root}
        #: The paths of the queues that go when they are empty.
        self._removable: set[str] = set()

    @classmethod
    def build(
        cls,
        spec: HierarchySpec,
        partition: str = DEFAULT_PARTITION,
        created: Iterable[str] = (),
    ) -> RuntimeTree:
        """
        Return the tree of a partition of *spec*.

        *created* are the full names of queues that rules created earlier; those of other
        partitions and those that the config has are ignored.
        """
        tree = cls(partition)
        tree.update(spec)
        prefix = Partition(name=partition).prefix
        for name in created:
            if name.startswith(prefix):
                tree.restore(name.removeprefix(prefix))
        return tree

    @property
    def queues(self) -> Mapping[str, RuntimeQueue]:
        """All queues by path, each after the one above it."""
        return self._queues

    def find(self, path: str) -> RuntimeQueue | None:
        """Return the queue with a path in any case."""
        return self._queues.get(path.lower())

    def nearest(self, path: str) -> RuntimeQueue | None:
        """Return the queue with a path in any case, or the nearest above; None: not even root."""
        above = path.lower()
        while above:
            found = self._queues.get(above)
            if found is not None:
                return found
            above = above.rpartition(".")[0]
        return None

    def set_root_maximum(self, maximum: Resources | None) -> list[QueueChange]:
        """Set what the nodes of the partition have together."""
        return _change(self.root, {"maximum": maximum})

    # The config.

    def update(self, spec: HierarchySpec) -> list[QueueChange]:
        """
        Take the queues of another config, which has the partition.

        Queues that the config does not have any more drain, if they came from a config.
        """
        self.compatibility = spec.compatibility
        prefix = Partition(name=self.partition).prefix
        before = {path: _state(queue) for path, queue in self._queues.items()}
        configured = {
            name.removeprefix(prefix): queue
            for name, queue in spec.queues.items()
            if queue.partition == self.partition
        }
        for path, stated in configured.items():
            self._configure(path, stated)
        for path, queue in self._queues.items():
            if queue.is_managed and queue is not self.root and path not in configured:
                queue.spec = None
                if queue.status is QueueStatus.ACTIVE:
                    queue.status = QueueStatus.DRAINING
        if not self.compatibility.template_lost_on_update:
            self._inherit_templates()
        self._removable = {path for path, queue in self._queues.items() if queue.is_removable}
        return [
            change
            for path, queue in self._queues.items()
            for change in _changes(queue, before.get(path))
        ]

    def _configure(self, path: str, stated: HierarchyQueue) -> None:
        queue = self._queues.get(path)
        is_new = queue is None or (queue is self.root and queue.spec is None)
        if queue is None:
            queue = self._add(path, is_leaf=stated.is_leaf, is_managed=True)
        queue.spec = stated
        queue.is_managed = True
        queue.is_leaf = stated.is_leaf
        if queue.is_draining:
            queue.status = QueueStatus.ACTIVE
        queue.submit, queue.admin, queue.limits = stated.submit, stated.admin, stated.limits
        keeps_amounts = self.compatibility.first_root_applications and queue.name == ROOT
        if queue is not self.root and not keeps_amounts:
            queue.guaranteed = _guaranteed(stated.guaranteed)
            queue.maximum = self.compatibility.maximum(stated.maximum)
        if is_new or not keeps_amounts:
            queue.applications = stated.applications
        queue.template = _own_template(queue)
        if queue.template is None and is_new:
            queue.template = _template_above(queue)
        above = queue.parent.properties if queue.parent is not None else {}
        _set_properties(queue, merged_properties(stated.properties, above))

    def _inherit_templates(self) -> None:
        """Give each queue its template anew, after the ones above it."""
        for queue in self._queues.values():
            queue.template = _own_template(queue) or _template_above(queue)

    # Queues that placement rules create.

    def create(self, path: str, user: str, groups: Iterable[str]) -> list[QueueChange]:
        """
        Create the leaf with a path, and those above it that do not exist, for an application.

        Raises CreationRefused, and creates nothing, if the user may not submit to the nearest
        queue that exists, or that queue takes none below it, or a name is not valid.
        """
        path = path.lower()
        if path in self._queues:
            return []
        refusal = self.creation_refusal(path, user, groups)
        if refusal is not None:
            raise CreationRefused(refusal)
        return self._create(path)

    def creation_refusal(self, path: str, user: str, groups: Iterable[str]) -> str | None:
        """
        Return YuniKorn's message why the missing leaf *path* cannot be created for a user.

        None: it can.
        """
        nearest = self.nearest(path)
        if nearest is None or not path.startswith(f"{ROOT}."):
            return f"illegal queue name passed in: {path}"
        if not nearest.may_submit(user, groups):
            return f"submit access to queue {nearest.path} denied during create of: {path}"
        if nearest.is_leaf:
            return f"creation of queue {path} failed parent is already a leaf: {nearest.path}"
        names = path[len(nearest.path) + 1 :].split(".")
        cause = _bad_name(names[0]) or _closed(nearest) or _first_bad_name(names)
        return None if cause is None else f"dynamic queue creation failed: {cause}"

    def create_recovery(self) -> list[QueueChange]:
        """Create the queue for applications that have to be accepted, if it does not exist."""
        return self._create(RECOVERY_PATH)

    def restore(self, path: str) -> list[QueueChange]:
        """
        Create a queue that a rule created earlier, without a check of access.

        A path that is not below the root is ignored.
        """
        path = path.lower()
        return self._create(path) if path.startswith(f"{ROOT}.") else []

    def _create(self, path: str) -> list[QueueChange]:
        missing = []
        above = path
        while above not in self._queues:
            missing.append(above)
            above = above.rpartition(".")[0]
        created = []
        nearest = self._queues[above]
        if missing and nearest.is_leaf and not nearest.is_managed:
            self._become_parent(nearest)
        for each in reversed(missing):
            queue = self._add(each, is_leaf=each == path, is_managed=False)
            queue.template = _template_above(queue)
            if queue.is_leaf:
                self._apply_template(queue)
            else:
                _set_properties(queue, {})
            self._removable.add(each)
            created.append(QueueChange(kind=ChangeKind.CREATED, queue=queue))
        return created

    def _become_parent(self, queue: RuntimeQueue) -> None:
        """Take the amounts of the template from a created leaf, as of every created parent."""
        queue.is_leaf = False
        queue.template = _template_above(queue)
        queue.applications, queue.guaranteed, queue.maximum = 0, None, None
        _set_properties(queue, {})

    def _become_leaf(self, queue: RuntimeQueue) -> None:
        """Apply the template to a created parent whose last queue below is gone."""
        queue.is_leaf, queue.template = True, None
        self._apply_template(queue)

    def _apply_template(self, queue: RuntimeQueue) -> None:
        template = queue.parent.template if queue.parent is not None else None
        if template is None:
            _set_properties(queue, {})
            return
        queue.applications = template.applications
        queue.guaranteed = _guaranteed(template.guaranteed)
        queue.maximum = self.compatibility.maximum(template.maximum)
        _set_properties(queue, template.properties)

    def apply_tags(self, queue: RuntimeQueue, tags: Mapping[str, str]) -> list[QueueChange]:
        """
        Set the amounts in the tags of an application that was placed in *queue*.

        Tags have no effect on queues of the config. If a tag sets the maximum or the guarantee,
        the other one is removed unless a tag sets it, too.
        """
        if queue.is_managed or not queue.is_leaf:
            return []
        stated = read_quota_tags(tags)
        maximum, guaranteed = (
            self.compatibility.maximum(stated.maximum),
            _guaranteed(stated.guaranteed),
        )
        values: dict[str, object] = {}
        if maximum is not None or guaranteed is not None:
            values |= {"maximum": maximum, "guaranteed": guaranteed}
        if stated.applications is not None:
            values["applications"] = stated.applications
        return _change(queue, values)

    # Queues that go.

    def clean(self, is_empty: Callable[[RuntimeQueue], bool]) -> list[QueueChange]:
        """
        Remove created and draining queues that have none below them and no applications.

        *is_empty* tells whether a queue has no applications.
        """
        removed = []
        candidates = [self._queues[path] for path in self._removable]
        for queue in sorted(candidates, key=lambda each: (-each.depth, each.path)):
            if queue.parent is None or queue.children or not is_empty(queue):
                continue
            removed.append(self._remove(queue, queue.parent))
        return removed

    def tidy(self, is_empty: Callable[[RuntimeQueue], bool]) -> list[QueueChange]:
        """
        Remove created queues without applications; those above that have some become leaves.

        The result is the tree that `restore` makes of the queues that have applications.
        """
        removed = []
        candidates = [self._queues[path] for path in self._removable]
        created = [each for each in candidates if not each.is_managed]
        for queue in sorted(created, key=lambda each: -each.depth):
            if queue.children or queue.parent is None:
                continue
            if is_empty(queue):
                removed.append(self._remove(queue, queue.parent))
            elif not queue.is_leaf:
                self._become_leaf(queue)
        return removed

    def _remove(self, queue: RuntimeQueue, parent: RuntimeQueue) -> QueueChange:
        del parent.children[queue.name]
        del self._queues[queue.path]
        self._removable.remove(queue.path)
        return QueueChange(kind=ChangeKind.REMOVED, queue=queue)

    def _add(self, path: str, *, is_leaf: bool, is_managed: bool) -> RuntimeQueue:
        parent = self._queues[path.rpartition(".")[0]]
        queue = RuntimeQueue(path, parent, is_leaf=is_leaf, is_managed=is_managed)
        parent.children[queue.name] = self._queues[path] = queue
        return queue


def _guaranteed(stated: Resources | None) -> Resources | None:
    return stated if is_positive(stated) else None


def _set_properties(queue: RuntimeQueue, properties: Mapping[str, str]) -> None:
    queue.properties = properties
    settings = settings_of(properties, is_leaf=queue.is_leaf)
    if queue.path == RECOVERY_PATH and settings.sort is not SortPolicy.FIFO:
        settings = replace(settings, sort=SortPolicy.FIFO)
    queue.settings = settings


def _own_template(queue: RuntimeQueue) -> Template | None:
    """Return the template that the config states for a queue with others below it, if any."""
    template = queue.spec.template if queue.spec is not None else None
    if queue.is_leaf or template is None:
        return None
    has_properties = any(name and value for name, value in template.properties.items())
    is_stated = template.applications or has_properties or template.guaranteed or template.maximum
    return template if is_stated else None


def _template_above(queue: RuntimeQueue) -> Template | None:
    return None if queue.is_leaf or queue.parent is None else queue.parent.template


def _bad_name(name: str) -> str | None:
    """Return why no rule may create a queue of this name; None: it may."""
    if not QUEUE_NAME.fullmatch(name):
        return BAD_NAME
    if name == RECOVERY_PATH.rpartition(".")[2]:
        return f"dynamic queue cannot be {RECOVERY_PATH}"
    return None


def _first_bad_name(names: Iterable[str]) -> str | None:
    return next((problem for name in names if (problem := _bad_name(name)) is not None), None)


def _closed(queue: RuntimeQueue) -> str | None:
    if queue.is_draining:
        return f"cannot add a child queue when queue is marked for deletion: {queue.path}"
    return None


def _state(queue: RuntimeQueue) -> tuple[object, ...]:
    return tuple(getattr(queue, name) for name in RuntimeQueue.SET)


def _changes(queue: RuntimeQueue, before: tuple[object, ...] | None) -> Iterator[QueueChange]:
    """Yield how a queue differs from its state *before*, if it does; None: it did not exist."""
    if before is None:
        yield QueueChange(kind=ChangeKind.CREATED, queue=queue)
        return
    former = {
        name: value
        for name, value, now in zip(RuntimeQueue.SET, before, _state(queue), strict=True)
        if value != now
    }
    if former:
        yield QueueChange(kind=ChangeKind.CHANGED, queue=queue, before=former)


def _change(queue: RuntimeQueue, values: Mapping[str, object]) -> list[QueueChange]:
    before = _state(queue)
    for name, value in values.items():
        setattr(queue, name, value)
    return list(_changes(queue, before))
