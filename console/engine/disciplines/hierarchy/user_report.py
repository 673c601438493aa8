"""What users and groups use in each queue, beside the limits there, and which limit is tightest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from console.engine.disciplines.hierarchy.ledger import counted
from console.engine.disciplines.hierarchy.requests import in_thousandths
from console.engine.disciplines.hierarchy.resources import NOTHING
from console.engine.disciplines.hierarchy.spec import HierarchySpec
from console.engine.disciplines.hierarchy.users import WILDCARD, Bound, QueueLimits
from console.engine.model.amounts import SCALE, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningOfUser:
    """One running workload."""

    queue: str
    user: str
    groups: tuple[str, ...] = ()
    #: In thousandths.
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelLine:
    """The use of one resource in one queue and below it: thousandths, or numbers of workloads."""

    queue: str
    #: Empty: running workloads are counted.
    resource: str = ""
    used: int
    #: None: no limit.
    limit: int | None = None

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

    #: ``*``: all users without a group that a limit names, together.
    name: str
    is_group: bool = False
    #: Each queue after the one above it; its workloads, then the resources by name.
    lines: tuple[LevelLine, ...] = ()

    @property
    def tightest(self) -> LevelLine | None:
        """The line of which the largest part is used; None: nothing is limited."""
        limited = [each for each in self.lines if each.limit is not None]
        return max(limited, key=lambda each: each.share, default=None)


@dataclass(slots=True)
class _Use:
    workloads: int = 0
    resources: dict[str, int] = field(default_factory=dict)


def user_report(spec: HierarchySpec, running: Iterable[RunningOfUser]) -> tuple[HolderUse, ...]:
    """Return users and groups with usage or a limit of their own, the tightest limit first."""
    limits = {name: QueueLimits.of(each.limits) for name, each in spec.queues.items()}
    uses: dict[tuple[bool, str], dict[str, _Use]] = {}
    for name, stated in limits.items():
        for is_group, holders in ((False, stated.users), (True, stated.groups)):
            for holder in holders:
                if is_group or holder != WILDCARD:
                    uses.setdefault((is_group, holder), {}).setdefault(name, _Use())
    for each in running:
        path = (each.queue, *spec.path(each.queue))
        group = _group_of(limits, path, each.groups)
        holders_of = [(False, each.user)] if each.user else []
        if group is not None:
            holders_of.append((True, group))
        for key in holders_of:
            _add(uses.setdefault(key, {}), path, each.usage)
    found = (
        HolderUse(
            name=name, is_group=is_group, lines=tuple(_lines(name, is_group, by_queue, limits))
        )
        for (is_group, name), by_queue in uses.items()
    )
    return tuple(sorted(found, key=_order))


def _order(holder: HolderUse) -> tuple[int, bool, str]:
    tightest = holder.tightest
    return -(tightest.share if tightest is not None else -1), holder.is_group, holder.name


def _group_of(
    limits: Mapping[str, QueueLimits], path: tuple[str, ...], groups: tuple[str, ...]
) -> str | None:
    """Return the group whose limits count: that of the nearest queue with a limit for one."""
    if not groups:
        return None
    for name in path:
        found = limits[name].group_for(groups) if name in limits else None
        if found is not None:
            return found
    return None


def _add(uses: dict[str, _Use], path: tuple[str, ...], usage: Usage) -> None:
    for name in path:
        use = uses.setdefault(name, _Use())
        use.workloads += 1
        for key, amount in usage.items():
            resource = counted(key)[1]
            use.resources[resource] = use.resources.get(resource, 0) + amount


def _lines(
    holder: str, is_group: bool, uses: Mapping[str, _Use], limits: Mapping[str, QueueLimits]
) -> Iterator[LevelLine]:
    for name in sorted(uses):
        use, bound = uses[name], _bound(limits.get(name), holder, is_group=is_group)
        yield LevelLine(queue=name, used=use.workloads, limit=bound.applications or None)
        amounts = in_thousandths(bound.resources or NOTHING)
        for resource in sorted({*use.resources, *(bound.resources or NOTHING)}):
            # A limit of only zeros is none.
            limit = amounts.get(resource, 0) if resource in (bound.resources or NOTHING) else None
            yield LevelLine(
                queue=name,
                resource=resource,
                used=use.resources.get(resource, 0),
                limit=limit if amounts else None,
            )


def _bound(limits: QueueLimits | None, holder: str, *, is_group: bool) -> Bound:
    if limits is None:
        return Bound()
    found = limits.groups.get(holder) if is_group else limits.of_user(holder)
    return found or Bound()
