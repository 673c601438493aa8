"""What users and groups use in the queues of a partition, with their limits there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.yunikorn.allocations import used_by
from console.api.yunikorn.base import SchedulerView
from console.api.yunikorn.errors import Missing, WrongParameter
from console.api.yunikorn.paging import PARAMETERS, incomplete, page_answer, read_part
from console.api.yunikorn.partition_state import OrganizationState
from console.api.yunikorn.shapes import present
from console.dialects.yunikorn.access import LIMITED_GROUP, LIMITED_USER
from console.engine.disciplines.hierarchy.applications import Application
from console.engine.disciplines.hierarchy.busy_queues import place_of
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.spec import ROOT, HierarchySpec, Limit
from console.engine.disciplines.hierarchy.tree import limits_of
from console.engine.disciplines.hierarchy.users import WILDCARD, Bound, Use, UserUsage, groups_of
from console.errors import ConsoleError
from console.orgs.models import Organization
from console.reading import printable
from console.workloads.models import Workload
from console.workloads.queries.placed import newest_running

_NO_LIMIT: Final = Bound()


@dataclass(slots=True)
class Holder:
    """A user or group."""

    name: str
    is_group: bool
    #: Usage by path; a queue with a limit alone has none.
    uses: dict[str, Use] = field(default_factory=dict)
    #: The group that counts for each application of a user.
    groups: dict[str, str] = field(default_factory=dict)


class HolderUsage:
    """The usage of all users and groups of a partition."""

    def __init__(
        self, org: Organization, spec: HierarchySpec, partition: str, rows: Sequence[Workload]
    ) -> None:
        self._usage = UserUsage()
        #: By name, for users (False) and groups (True).
        self.holders: dict[bool, dict[str, Holder]] = {False: {}, True: {}}
        state = OrganizationState(org, spec)
        # YuniKorn counts the users of all partitions together, if that compatibility is asked for.
        is_shared = spec.compatibility.shared_user_usage
        names = spec.partitions if is_shared else (partition,)
        queues = {name: state.partition(name).queues for name in names}
        self._set_limits(spec, queues.values())
        for row in rows:
            place = place_of(spec, row.queue or "")
            queue = queues.get(place[0], {}).get(place[1]) if place is not None else None
            if queue is not None:
                self._charge(row, queue)
        for is_group, uses in ((False, self._usage.users), (True, self._usage.groups)):
            for holder, by_path in uses.items():
                # Workloads may have no user.
                if holder:
                    self._holder(holder, is_group=is_group).uses.update(by_path)

    def _set_limits(
        self, spec: HierarchySpec, partitions: Iterable[Mapping[str, QueueUsage]]
    ) -> None:
        limits: dict[str, Sequence[Limit]] = {}
        for queues in partitions:
            limits.update(limits_of(spec.compatibility, (usage.queue for usage in queues.values())))
        self._usage.set_limits(limits, ())
        for path in limits:
            self._add_limits(path)

    def _charge(self, row: Workload, queue: QueueUsage) -> None:
        groups = groups_of(row.user, row.groups)
        app = Application(id=row.uid, queue=queue, user=row.user, groups=groups)
        self._usage.charge(app, used_by(row))
        if app.group and app.user:
            self._holder(app.user, is_group=False).groups[app.id] = app.group

    def _add_limits(self, path: str) -> None:
        """Add the users and groups that a limit names, which may use nothing."""
        stated = self._usage.limits_at(path)
        for is_group, bounds in ((False, stated.users), (True, stated.groups)):
            for name in bounds:
                if name != WILDCARD:
                    self._holder(name, is_group=is_group).uses.setdefault(path, Use())

    def _holder(self, name: str, *, is_group: bool) -> Holder:
        return self.holders[is_group].setdefault(name, Holder(name, is_group))

    def answer(self, holder: Holder) -> dict[str, Any]:
        """Return a user or group."""
        tree = self._tree(holder)
        if holder.is_group:
            applications = tree.get("runningApplications", [])
            return {
                "groupName": holder.name,
                **present(applications=applications, queues=tree),
            }
        return {"userName": holder.name, **present(groups=holder.groups, queues=tree)}

    def _tree(self, holder: Holder) -> dict[str, Any]:
        paths = set(holder.uses)
        for path in holder.uses:
            while "." in path:
                path = path.rpartition(".")[0]  # noqa: PLW2901
                paths.add(path)
        nodes: dict[str, dict[str, Any]] = {}
        for path in sorted(paths):
            nodes[path] = self._node(holder, path)
            above = path.rpartition(".")[0]
            if above:
                nodes[above].setdefault("children", []).append(nodes[path])
        return nodes.get(ROOT, {})

    def _node(self, holder: Holder, path: str) -> dict[str, Any]:
        use = holder.uses.get(path) or Use()
        stated = self._usage.limits_at(path)
        if holder.is_group:
            bound = stated.groups.get(holder.name) or _NO_LIMIT
        else:
            bound = stated.of_user(holder.name) or _NO_LIMIT
        return {
            "queuePath": path,
            **present(
                resourceUsage=use.resources,
                runningApplications=sorted(use.applications),
                maxResources=bound.resources,
                maxApplications=bound.applications,
            ),
        }


class UsageView(SchedulerView):
    """An endpoint about the usage of users or groups."""

    #: Whether it is about groups.
    is_group: ClassVar[bool] = False

    def usage(self, partition: str) -> tuple[HolderUsage, bool]:
        """Return the usage in a partition, and whether all running workloads are counted."""
        name = self.partition(partition).name
        rows, is_whole = newest_running(self.actor.org)
        return HolderUsage(self.actor.org, self.spec, name, rows), is_whole


class AllUsage(UsageView):
    """All users, or all groups, with usage or a limit."""

    parameters = PARAMETERS

    def get(self, request: Request, partition: str) -> Response:
        """List them by name."""
        usage, is_whole = self.usage(partition)
        named: Mapping[str, Holder] = usage.holders[self.is_group]
        names = sorted(named)
        part, cursor = read_part(self, request, len(names))
        rows = [usage.answer(named[name]) for name in names[part]]
        return incomplete(page_answer(request, rows, cursor), is_whole=is_whole)


class OneUsage(UsageView):
    """One user or group."""

    def get(self, request: Request, partition: str, name: str) -> Response:
        """Return the user or group; raises Missing or WrongParameter."""
        usage, is_whole = self.usage(partition)
        found = usage.holders[self.is_group].get(name)
        if found is None:
            raise self._absent(name, partition)
        return incomplete(Response(usage.answer(found)), is_whole=is_whole)

    def _absent(self, name: str, partition: str) -> ConsoleError:
        """Return the error about a name without usage and limit: YuniKorn checks it first."""
        noun = "Group" if self.is_group else "User"
        pattern = LIMITED_GROUP if self.is_group else LIMITED_USER
        if not pattern.fullmatch(name) and name != WILDCARD:
            return WrongParameter(
                noun.lower(),
                f"Invalid {noun.lower()} name",
                f"{printable(name)!r} is not a name that a {noun.lower()} can have.",
            )
        return Missing(
            f"{noun} not found",
            f"The {noun.lower()} {name!r} has no running workloads in the partition "
            f"{partition}, and no limit.",
        )
