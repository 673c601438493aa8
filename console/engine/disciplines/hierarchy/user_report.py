"""What users and groups use in each queue, beside the limits there, and which limit is tightest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from console.engine.disciplines.hierarchy.applications import Application
from console.engine.disciplines.hierarchy.busy_queues import (
    accounts_of,
    place_of,
    tree_with,
)
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.requests import PODS, in_thousandths, of_pod
from console.engine.disciplines.hierarchy.resources import NOTHING, Resources, plus, times
from console.engine.disciplines.hierarchy.spec import ROOT, HierarchySpec, Limit
from console.engine.disciplines.hierarchy.tree import limits_of
from console.engine.disciplines.hierarchy.users import (
    WILDCARD,
    Bound,
    Use,
    UserUsage,
    groups_of,
)
from console.engine.model.amounts import SCALE


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningOfUser:
    """One running workload."""

    queue: str
    user: str
    groups: tuple[str, ...] = ()
    #: What one pod requests, in thousandths, and the number of such pods that run.
    pods: Sequence[tuple[Mapping[str, int], int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelLine:
    """The use of one resource in one queue and below it: thousandths, or numbers of workloads."""

    queue: str
    #: Empty: running workloads are counted.
    resource: str = ""
    used: int
    #: None: no limit.
    limit: int | None = None
    #: Whether a rule created the queue above others: the config has it not, and nothing runs in it.
    is_between: bool = False

    @property
    def share(self) -> int:
        """The used part of the limit in thousandths; 0 without a limit."""
        if self.limit is None:
            return 0
        if not self.limit:
            return SCALE if self.used else 0
        return self.used * SCALE // self.limit

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing is left."""
        return self.limit is not None and self.used >= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderUse:
    """What one user or group uses."""

    #: ``*`` of a group: all users without a group that a limit names, together.
    name: str
    is_group: bool = False
    #: Running workloads in all partitions.
    workloads: int = 0
    #: Each queue after the one above it; its workloads, then the resources by name.
    lines: tuple[LevelLine, ...] = ()

    @property
    def tightest(self) -> LevelLine | None:
        """The line of which the largest part is used; None: nothing is limited."""
        limited = [each for each in self.lines if each.limit is not None]
        return max(limited, key=lambda each: each.share, default=None)


def user_report(spec: HierarchySpec, running: Iterable[RunningOfUser]) -> tuple[HolderUse, ...]:
    """
    Return users and groups with usage or a limit of their own, the tightest limit first.

    Each counts as the scheduler counts it. Queues of earlier configs in other languages have no
    limits and none above them.
    """
    running = tuple(running)
    return tuple(sorted(_Report(spec, running).holders(), key=_order))


def _order(holder: HolderUse) -> tuple[int, bool, str]:
    tightest = holder.tightest
    return -(tightest.share if tightest is not None else -1), holder.is_group, holder.name


@dataclass(slots=True)
class _Account:
    """The usage of users in partitions that count them together."""

    usage: UserUsage
    #: By partition and path.
    queues: Mapping[tuple[str, str], QueueUsage]
    #: Full names of the queues by path.
    names: dict[str, str] = field(default_factory=dict)
    #: Paths of queues with limits.
    limited: Sequence[str] = ()


class _Report:
    def __init__(self, spec: HierarchySpec, running: Sequence[RunningOfUser]) -> None:
        self._spec = spec
        self._busy = dict.fromkeys(each.queue for each in running)
        self._counts_pods = any(
            PODS in (limit.resources or NOTHING)
            for queue in spec.queues.values()
            for limit in queue.limits
        )
        is_shared = spec.compatibility.shared_user_usage
        together = [list(spec.partitions)] if is_shared else [[each] for each in spec.partitions]
        self._accounts = [self._account(names) for names in together]
        #: By name of the user and of the queue.
        self._elsewhere: dict[str, dict[str, Use]] = {}
        for number, each in enumerate(running):
            self._count(str(number), each)

    def _account(self, partitions: Iterable[str]) -> _Account:
        queues: dict[tuple[str, str], QueueUsage] = {}
        limits: dict[str, Sequence[Limit]] = {}
        names: dict[str, str] = {}
        for name in partitions:
            tree, _ = tree_with(self._spec, name, self._busy)
            partition = self._spec.partitions[name]
            for path, queue in accounts_of(tree).items():
                queues[name, path] = queue
                names.setdefault(path, partition.full_name(path))
            limits.update(limits_of(self._spec.compatibility, tree.queues.values()))
        usage = UserUsage()
        usage.set_limits(limits, ())
        return _Account(usage=usage, queues=queues, names=names, limited=tuple(limits))

    def _count(self, key: str, each: RunningOfUser) -> None:
        used: Resources = NOTHING
        for requests, count in each.pods:
            used = plus(used, times(of_pod(requests, counts_pods=self._counts_pods), count))
        place = place_of(self._spec, each.queue)
        for account in self._accounts:
            queue = account.queues.get(place) if place is not None else None
            if queue is not None:
                groups = groups_of(each.user, each.groups)
                app = Application(id=key, queue=queue, user=each.user, groups=groups)
                account.usage.charge(app, used)
                return
        use = self._elsewhere.setdefault(each.user, {}).setdefault(each.queue, Use())
        use.resources = plus(use.resources, used)
        use.applications.add(key)

    def holders(self) -> Iterator[HolderUse]:
        """Yield users and groups with usage or a limit of their own."""
        for is_group in (False, True):
            names: dict[str, None] = {}
            for account in self._accounts:
                names.update(dict.fromkeys(_named_by(account, is_group=is_group)))
            if not is_group:
                names.update(dict.fromkeys(self._elsewhere))
            for name in names:
                # Workloads may have no user.
                if name:
                    yield self._holder(name, is_group=is_group)

    def _holder(self, name: str, *, is_group: bool) -> HolderUse:
        workloads = 0
        lines: list[LevelLine] = []
        for account in self._accounts:
            uses = (account.usage.groups if is_group else account.usage.users).get(name, {})
            workloads += len(uses[ROOT].applications) if ROOT in uses else 0
            own = {path for path in account.limited if _is_stated(account, path, name, is_group)}
            for path in sorted({*uses, *own}):
                bound = _bound(account, path, name, is_group=is_group)
                lines += self._lines(account.names[path], uses.get(path) or Use(), bound)
        for queue, use in sorted(({} if is_group else self._elsewhere.get(name, {})).items()):
            workloads += len(use.applications)
            lines += self._lines(queue, use, Bound())
        return HolderUse(name=name, is_group=is_group, workloads=workloads, lines=tuple(lines))

    def _lines(self, queue: str, use: Use, bound: Bound) -> Iterator[LevelLine]:
        is_between = queue not in self._spec.queues and queue not in self._busy
        yield LevelLine(
            queue=queue,
            used=len(use.applications),
            limit=bound.applications or None,
            is_between=is_between,
        )
        stated = bound.resources or NOTHING
        amounts, used = in_thousandths(stated), in_thousandths(use.resources)
        for resource in sorted({*used, *stated}):
            # A limit of only zeros is none.
            limit = amounts.get(resource, 0) if amounts and resource in stated else None
            yield LevelLine(
                queue=queue,
                resource=resource,
                used=used.get(resource, 0),
                limit=limit,
                is_between=is_between,
            )


def _named_by(account: _Account, *, is_group: bool) -> Iterator[str]:
    """Yield the users or groups with usage, and those that a limit names."""
    yield from account.usage.groups if is_group else account.usage.users
    for path in account.limited:
        stated = account.usage.limits_at(path)
        for name in stated.groups if is_group else stated.users:
            if is_group or name != WILDCARD:
                yield name


def _is_stated(account: _Account, path: str, name: str, is_group: bool) -> bool:
    stated = account.usage.limits_at(path)
    return name in (stated.groups if is_group else stated.users)


def _bound(account: _Account, path: str, name: str, *, is_group: bool) -> Bound:
    stated = account.usage.limits_at(path)
    return (stated.groups.get(name) if is_group else stated.of_user(name)) or Bound()
