"""Usage of users and groups in each queue, and the limits that queues set for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from console.engine.disciplines.hierarchy.applications import Application
from console.engine.disciplines.hierarchy.resources import (
    NOTHING,
    Resources,
    is_zero,
    least,
    minus,
    plus,
    remaining,
)
from console.engine.disciplines.hierarchy.spec import Limit

#: The name in limits that stands for every other user or group.
WILDCARD: Final = "*"


def groups_of(user: str, groups: Sequence[str]) -> tuple[str, ...]:
    """
    Return the groups of a user that count: without *groups*, one with the name of the user.

    >>> groups_of("sue", ["dev"]), groups_of("sue", []), groups_of("", [])
    (('dev',), ('sue',), ())
    """
    return tuple(groups) or ((user,) if user else ())


class Bound(NamedTuple):
    """What one user or group may use in a queue and below it."""

    #: None: no limit of resources.
    resources: Resources | None = None
    #: The most running applications; 0: no limit.
    applications: int = 0


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """The limits of one queue, by user and by group, in the order of the text."""

    users: Mapping[str, Bound] = field(default_factory=dict)
    groups: Mapping[str, Bound] = field(default_factory=dict)

    @classmethod
    def of(cls, limits: Iterable[Limit]) -> QueueLimits:
        """Return the limits as a queue states them."""
        users: dict[str, Bound] = {}
        groups: dict[str, Bound] = {}
        for limit in limits:
            bound = Bound(limit.resources, limit.applications)
            users |= dict.fromkeys(limit.users, bound)
            groups |= dict.fromkeys(limit.groups, bound)
        return cls(users, groups)

    def of_user(self, user: str) -> Bound | None:
        """Return the limit of a user: its own one, or that of every other user."""
        return self.users.get(user) or self.users.get(WILDCARD)

    def group_for(self, groups: Iterable[str]) -> str | None:
        """Return the group whose limit counts for a user of *groups*."""
        for name in self.groups:
            if name != WILDCARD and name in groups:
                return name
        return WILDCARD if WILDCARD in self.groups else None


class Use:
    """What a user or group uses in a queue and below it."""

    __slots__ = ("applications", "resources")

    def __init__(self) -> None:
        self.resources: Resources = NOTHING
        #: Ids of the applications that have pods or asks since their first pod.
        self.applications: set[str] = set()


class Level(NamedTuple):
    """The use of a user or group in one queue, with the limit there."""

    path: str
    use: Use
    bound: Bound | None
    #: The name of the user or group.
    holder: str
    is_group: bool = False

    def fits(self, amount: Resources) -> bool:
        """Return whether the limit of resources allows *amount* more."""
        bound, used = self.bound, self.use.resources
        if bound is None or is_zero(bound.resources):
            return True
        limit = bound.resources or NOTHING
        return all(
            value <= max(0, limit[name] - used.get(name, 0))
            for name, value in amount.items()
            if name in limit
        )

    def may_run(self, application: str) -> bool:
        """Return whether the limit of applications allows another one to run."""
        if self.bound is None or not self.bound.applications:
            return True
        running = self.use.applications
        return application in running or len(running) < self.bound.applications


class UserUsage:
    """The usage of all users and groups, and the limits that apply to applications."""

    def __init__(self) -> None:
        self._limits: dict[str, QueueLimits] = {}
        self._users: dict[str, dict[str, Use]] = {}
        self._groups: dict[str, dict[str, Use]] = {}
        #: Limits that YuniKorn forgets to remove, by user and path.
        self._kept: dict[tuple[str, str], Bound] = {}
        #: The levels of applications, by id, under the present limits.
        self._levels: dict[str, tuple[tuple[Level, ...], tuple[Level, ...]]] = {}

    @property
    def users(self) -> Mapping[str, Mapping[str, Use]]:
        """The use of users by name and path."""
        return self._users

    @property
    def groups(self) -> Mapping[str, Mapping[str, Use]]:
        """The use of groups by name and path."""
        return self._groups

    @property
    def has_limits(self) -> bool:
        """Whether any queue has limits."""
        return bool(self._limits or self._kept)

    def limits_at(self, path: str) -> QueueLimits:
        """Return the limits of the queue with a path."""
        return self._limits.get(path, QueueLimits())

    def set_limits(
        self,
        limits: Mapping[str, Sequence[Limit]],
        applications: Iterable[Application],
        *,
        keeps_wildcards: bool = False,
    ) -> None:
        """
        Use the limits of another config, by path.

        *applications* are all known ones: those whose group has lost its limit choose another one.
        With *keeps_wildcards*, users with usage keep the removed limit of every other user in a
        queue that has other limits.
        """
        before = self._limits
        self._limits = {path: QueueLimits.of(some) for path, some in limits.items() if some}
        self._levels.clear()
        if keeps_wildcards:
            self._keep_wildcards(before)
        for app in applications:
            if app.group and self._has_lost_limit(app, before):
                self._leave_group(app)

    def forget(self, app: Application) -> None:
        """Forget what was derived for an application that has ended."""
        self._levels.pop(app.id, None)

    # Questions

    def levels(self, app: Application) -> tuple[tuple[Level, ...], tuple[Level, ...]]:
        """Return the levels of the user and of the group of an application, the leaf first."""
        found = self._levels.get(app.id)
        if found is None:
            if app.group is None:
                app.group = self._choose_group(app)
            found = self._levels[app.id] = (
                tuple(self._user_levels(app)),
                tuple(self._group_levels(app)),
            )
        return found

    def refusing(self, app: Application, amount: Resources) -> Level | None:
        """Return the first level whose limit refuses pods that use *amount*; None: none does."""
        if not self.has_limits:
            return None
        for levels in self.levels(app):
            for level in levels:
                if not level.fits(amount):
                    return level
        return None

    def refusing_run(self, app: Application) -> Level | None:
        """Return the first level whose limit refuses another application; None: none does."""
        if not self.has_limits:
            return None
        for levels in self.levels(app):
            for level in levels:
                if not level.may_run(app.id):
                    return level
        return None

    def headroom(self, app: Application) -> Resources | None:
        """Return what all limits leave for an application; None: no limit."""
        found: Resources | None = None
        for levels in self.levels(app):
            for level in levels:
                bound = level.bound.resources if level.bound is not None else None
                if bound is not None and not is_zero(bound):
                    found = least(found, remaining(bound, level.use.resources))
        return found

    # Changes

    def charge(self, app: Application, amount: Resources) -> None:
        """Add what pods of an application use to its user and group."""
        for levels in self.levels(app):
            for level in levels:
                level.use.resources = plus(level.use.resources, amount)
                level.use.applications.add(app.id)

    def discharge(self, app: Application, amount: Resources, *, ends: bool) -> None:
        """Subtract what pods of an application used; if it *ends*, it does not run any more."""
        for levels in self.levels(app):
            for level in levels:
                level.use.resources = minus(level.use.resources, amount)
                if ends:
                    level.use.applications.discard(app.id)

    # Internals

    def _user_levels(self, app: Application) -> Iterator[Level]:
        uses = self._users.setdefault(app.user, {})
        for path in app.queue.paths:
            bound = self.limits_at(path).of_user(app.user) or self._kept.get((app.user, path))
            yield Level(path, uses.setdefault(path, Use()), bound, app.user)

    def _group_levels(self, app: Application) -> Iterator[Level]:
        if not app.group:
            return
        uses = self._groups.setdefault(app.group, {})
        for path in app.queue.paths:
            bound = self.limits_at(path).groups.get(app.group)
            yield Level(path, uses.setdefault(path, Use()), bound, app.group, is_group=True)

    def _choose_group(self, app: Application) -> str:
        if not app.groups:
            return ""
        for path in app.queue.paths:
            found = self.limits_at(path).group_for(app.groups)
            if found is not None:
                return found
        return ""

    def _has_lost_limit(self, app: Application, before: Mapping[str, QueueLimits]) -> bool:
        return any(
            app.group in before.get(path, QueueLimits()).groups
            and app.group not in self.limits_at(path).groups
            for path in app.queue.paths
        )

    def _leave_group(self, app: Application) -> None:
        """Move the usage of an application to the group that counts for it now."""
        uses = self._groups.get(app.group or "", {})
        is_counted = False
        for path in app.queue.paths:
            use = uses.get(path)
            if use is not None and app.id in use.applications:
                is_counted = True
                use.resources = minus(use.resources, app.allocated)
                use.applications.discard(app.id)
        app.group = None
        _, levels = self.levels(app)
        for level in levels if is_counted else ():
            level.use.resources = plus(level.use.resources, app.allocated)
            level.use.applications.add(app.id)

    def _keep_wildcards(self, before: Mapping[str, QueueLimits]) -> None:
        for path, limits in before.items():
            wildcard = limits.users.get(WILDCARD)
            now = self.limits_at(path)
            if wildcard is None or WILDCARD in now.users or not now.users:
                continue
            for user, uses in self._users.items():
                if path in uses and user not in limits.users:
                    self._kept[user, path] = wildcard
        for user, path in list(self._kept):
            now = self.limits_at(path)
            if not (now.users or now.groups) or now.of_user(user):
                del self._kept[user, path]
