"""Checks of the limits of one queue: whom they name, and what they limit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from console.dialects.findings import Place
from console.dialects.repairs import remove_field
from console.dialects.wording import quote, shorten
from console.dialects.written import Unread, Written
from console.dialects.yunikorn.access import LIMITED_GROUP, LIMITED_USER
from console.dialects.yunikorn.amounts import Amounts
from console.dialects.yunikorn.codes import (
    LIMIT_AFTER_WILDCARD,
    LIMIT_NAME,
    LIMIT_OF_NOTHING,
    LIMIT_OF_ZERO,
    LIMIT_OVER_QUEUE,
    LIMIT_REPEATED,
    LIMIT_WITHOUT_HOLDERS,
    ONLY_WILDCARD_GROUP,
)
from console.dialects.yunikorn.problems import Problems
from console.dialects.yunikorn.repairs import applications_fix, remove_item, set_amounts
from console.dialects.yunikorn.schema import LimitDoc, QueueDoc, plain
from console.engine.disciplines.hierarchy.resources import fits, is_positive
from console.engine.disciplines.hierarchy.spec import ROOT

WILDCARD: Final = "*"


class LimitChecks:
    """Checks the limits of one queue, in YuniKorn's order."""

    def __init__(self, queue: QueueDoc, amounts: Amounts, problems: Problems) -> None:
        self._queue = queue
        self._amounts = amounts
        self._problems = problems
        self._users: set[str] = set()
        self._groups: set[str] = set()

    def check(self) -> None:
        """Report all problems of the limits."""
        for limit in self._queue.limits:
            self._check(limit)

    def _check(self, limit: LimitDoc) -> None:
        unread = limit.values.unread
        if not (limit.users or limit.groups or "users" in unread or "groups" in unread):
            self._problems.add(
                LIMIT_WITHOUT_HOLDERS,
                limit.values.place,
                "The limit names neither users nor groups.",
                'Add users or groups; users: ["*"] stands for all other users.',
                original=f"empty user and group lists defined in limit '{_struct(limit)}'",
            )
        self._check_users(limit.users or ())
        self._check_groups(limit.groups or ())
        self._check_amounts(limit)

    def _check_users(self, users: Sequence[Written[str]]) -> None:
        for user in users:
            name = user.value
            self._check_name(user, LIMITED_USER, "user")
            if name in self._users:
                original = f"duplicated user name '{name}', already exists"
                self._note_repeated(user, "user", original, len(users))
            elif WILDCARD in self._users:
                original = f"should not set no wildcard user {name} after wildcard user limit"
                self._note_after_wildcard(user, "users", original)
            self._users.add(name)

    def _check_groups(self, groups: Sequence[Written[str]]) -> None:
        wildcard: Place | None = None
        for group in groups:
            name = group.value
            self._check_name(group, LIMITED_GROUP, "group")
            if name in self._groups:
                original = f"duplicated group name '{name}'"
                self._note_repeated(group, "group", original, len(groups))
            elif WILDCARD in self._groups:
                original = f"should not set no wildcard group {name} after wildcard group limit"
                self._note_after_wildcard(group, "groups", original)
            self._groups.add(name)
            if name == WILDCARD:
                wildcard = group.place
        if wildcard is not None and self._groups == {WILDCARD}:
            self._problems.add(
                ONLY_WILDCARD_GROUP,
                wildcard,
                "A limit for the group * needs a limit for a named group in the same queue.",
                'Limit a named group first, or limit users: ["*"].',
                original="should not specify only one group limit that is using the wildcard. "
                "There must be at least one limit with a group name defined ",
            )

    def _check_name(self, name: Written[str], pattern: re.Pattern[str], what: str) -> None:
        if name.value != WILDCARD and not pattern.fullmatch(name.value):
            self._problems.add(
                LIMIT_NAME,
                name.place,
                f"{quote(name.value)} is not a name of a {what}.",
                "Names begin with a letter or _; * stands for all others.",
                original=f"invalid limit {what} name '{name.value}' in limit definition",
            )

    def _note_repeated(self, name: Written[str], what: str, original: str, count: int) -> None:
        self._problems.add(
            LIMIT_REPEATED,
            name.place,
            f"The queue has another limit for the {what} {quote(name.value)} already.",
            "Remove the name from one of the limits.",
            remove_item(self._problems.findings, name.place) if count > 1 else (),
            original=original,
        )

    def _note_after_wildcard(self, name: Written[str], what: str, original: str) -> None:
        self._problems.add(
            LIMIT_AFTER_WILDCARD,
            name.place,
            f"{quote(name.value)} comes after *, which stands for all other {what}.",
            "Move the limit with * to the end.",
            original=original,
        )

    def _check_amounts(self, limit: LimitDoc) -> None:
        shown = f' "{shorten(limit.description)}"' if limit.description else ""
        stated = self._amounts.read(limit.resources)
        if isinstance(stated, Unread):
            return
        applications = limit.most_applications
        if stated and not is_positive(stated) and limit.resources is not None:
            self._problems.add(
                LIMIT_OF_ZERO,
                limit.resources.place,
                f"All quantities of the limit{shown} are 0.",
                "State a quantity above 0, or remove maxresources.",
                (remove_field(self._problems.findings, limit.resources.place, "maxresources"),)
                if applications
                else (),
                original=f"MaxResources should be greater than zero in '{limit.description}' limit",
            )
        unread = limit.values.unread
        is_known = not ("maxresources" in unread or "maxapplications" in unread)
        if not stated and not applications and is_known:
            self._problems.add(
                LIMIT_OF_NOTHING,
                limit.values.place,
                f"The limit{shown} has neither maxresources nor maxapplications above 0.",
                "Add one of them.",
                original=f"invalid resource combination for limit {limit.description} "
                "all resource limits are null",
            )
        self._check_queue(limit, shown)

    def _check_queue(self, limit: LimitDoc, shown: str) -> None:
        queue, applications = self._queue, limit.most_applications
        most = queue.most_applications
        if most and most < applications and limit.applications is not None:
            self._problems.add(
                LIMIT_OVER_QUEUE,
                limit.applications.place,
                f"The limit{shown} allows {applications} applications, and its queue {most}.",
                f"Write {most} or less.",
                applications_fix(limit, most, self._problems.findings),
                original=f"invalid MaxApplications settings for limit {limit.description} "
                "exceed current the queue MaxApplications",
            )
        if queue.name == ROOT:
            return
        before = f"parse queue {queue.name} max resource failed: "
        maximum = self._amounts.read(queue.maximum, before=before)
        stated = self._amounts.read(limit.resources)
        if isinstance(maximum, Unread) or isinstance(stated, Unread) or stated is None:
            return
        if not fits(maximum, stated) and limit.resources is not None:
            self._problems.add(
                LIMIT_OVER_QUEUE,
                limit.resources.place,
                f"The limit{shown} allows more than the maximum of its queue.",
                "Lower the limit, or raise the maximum of the queue.",
                set_amounts(
                    limit.resources.value,
                    {
                        name: maximum[name]
                        for name, amount in stated.items()
                        if maximum is not None and amount > maximum.get(name, amount)
                    },
                    "Lower the limit",
                ),
                original=f"invalid MaxResources settings for limit {limit.description} "
                "exeecd current the queue MaxResources",
            )


def _struct(limit: LimitDoc) -> str:
    """Return a limit as messages of YuniKorn show it."""
    users = " ".join(each.value for each in limit.users or ())
    groups = " ".join(each.value for each in limit.groups or ())
    resources = dict(plain(limit.resources.value)) if limit.resources else {}
    shown = " ".join(f"{name}:{resources[name]}" for name in sorted(resources))
    return f"{{{limit.description} [{users}] [{groups}] map[{shown}] {limit.most_applications}}}"
