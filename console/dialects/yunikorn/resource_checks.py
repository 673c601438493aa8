"""Checks of guarantees and maxima against those above, and of limits against limits above."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from console.dialects.findings import Place, Repair
from console.dialects.wording import listed, shorten
from console.dialects.written import Unread, Written
from console.dialects.yunikorn.amounts import Amounts, show_original
from console.dialects.yunikorn.codes import (
    GUARANTEE_OVER_MAX,
    GUARANTEES_OVER_MAX,
    GUARANTEES_OVER_PARENT,
    HIDDEN_GUARANTEE,
    LIMIT_OVER_ABOVE,
    MAX_OVER_PARENT,
)
from console.dialects.yunikorn.limit_checks import WILDCARD
from console.dialects.yunikorn.problems import Problems
from console.dialects.yunikorn.quantities import LARGEST, write_quantity
from console.dialects.yunikorn.repairs import applications_fix, set_amounts
from console.dialects.yunikorn.schema import LimitDoc, QueueDoc, Texts
from console.engine.disciplines.hierarchy.resources import Resources, fits, is_zero, least

T = TypeVar("T")
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class _Sum:
    """The guarantees of a queue as its parent counts them."""

    #: Without those that a queue in the middle hides.
    counted: Resources
    complete: Resources


class ResourceChecks:
    """Checks the guarantees and maxima of all queues of a partition, in YuniKorn's order."""

    def __init__(self, amounts: Amounts, problems: Problems) -> None:
        self._amounts = amounts
        self._problems = problems

    def check(self, queue: QueueDoc, above: Resources | None = None) -> _Sum:
        """Check a queue and those below it; *above* is the lowest maximum above it."""
        own_guaranteed = self._amounts.read(queue.guaranteed)
        own_maximum = self._amounts.read(queue.maximum)
        guaranteed = None if isinstance(own_guaranteed, Unread) else own_guaranteed
        maximum = None if isinstance(own_maximum, Unread) else own_maximum
        if guaranteed is not None and not fits(maximum, guaranteed):
            self._note_guarantee(queue, guaranteed, maximum)
        if maximum is not None and not fits(above, maximum):
            self._note_maximum(queue, maximum, above)
        effective = least(maximum, above)
        counted: Resources = {}
        complete: Resources = {}
        for child in queue.queues:
            found = self.check(child, effective)
            counted, complete = _plus(counted, found.counted), _plus(complete, found.complete)
        self._check_sums(queue, guaranteed, effective, _Sum(counted, complete))
        own = guaranteed if guaranteed is not None and not is_zero(guaranteed) else None
        if own is None:
            return _Sum(counted, complete)
        return _Sum(own, {**complete, **own})

    def _check_sums(
        self, queue: QueueDoc, guaranteed: Resources | None, effective: Resources | None, sums: _Sum
    ) -> None:
        name, total = queue.name, show_original(sums.counted)
        if guaranteed is not None and not fits(guaranteed, sums.counted):
            self._problems.add(
                GUARANTEES_OVER_PARENT,
                queue.guaranteed.place if queue.guaranteed else queue.place,
                f'The queues below "{shorten(name)}" guarantee '
                f"{_exceeding(sums.counted, guaranteed)}, more than it guarantees itself.",
                "Raise the guarantee here, or lower those below.",
                _set(queue.guaranteed, _larger(sums.counted, guaranteed), "Guarantee their sum"),
                original=f"guaranteed resource of parent {show_original(guaranteed)} is smaller "
                f"than sum of guaranteed resources {total} of the children for queue {name}",
            )
        if effective is not None and not fits(effective, sums.counted):
            self._problems.add(
                GUARANTEES_OVER_MAX,
                queue.maximum.place if queue.maximum else queue.name_place,
                f'The queues below "{shorten(name)}" guarantee '
                f"{_exceeding(sums.counted, effective)}, more than it may use.",
                "Raise the maximum of the queue or of those above it, or lower the guarantees.",
                original=f"max resource {show_original(effective)} is smaller than sum of "
                f"guaranteed resources {total} of the children for queue {name}",
            )
        if self._problems.compatibility.hidden_guarantees:
            return
        for bound in (guaranteed, effective):
            hidden = _above(sums.complete, bound) - _above(sums.counted, bound)
            if hidden:
                self._problems.add(
                    HIDDEN_GUARANTEE,
                    queue.name_place,
                    f'The queues below "{shorten(name)}" guarantee more '
                    f"{listed(sorted(hidden)[:_SHOWN], 'and')} than it can give, which a queue "
                    "between hides from YuniKorn.",
                    "Guarantee the resource in the queue between too.",
                )

    def _note_guarantee(
        self, queue: QueueDoc, guaranteed: Resources, maximum: Resources | None
    ) -> None:
        self._problems.add(
            GUARANTEE_OVER_MAX,
            queue.guaranteed.place if queue.guaranteed else queue.place,
            f'"{shorten(queue.name)}" guarantees {_exceeding(guaranteed, maximum)}, more than its '
            "maximum.",
            "Raise the maximum, or lower the guarantee.",
            (
                *_set(queue.maximum, _larger(guaranteed, maximum), "Raise the maximum"),
                *_set(queue.guaranteed, _bound(guaranteed, maximum), "Lower the guarantee"),
            ),
            original=f"guaranteed resource {show_original(guaranteed)} is larger than maximum "
            f"resource {show_original(maximum)} for queue {queue.name}",
        )

    def _note_maximum(self, queue: QueueDoc, maximum: Resources, above: Resources | None) -> None:
        self._problems.add(
            MAX_OVER_PARENT,
            queue.maximum.place if queue.maximum else queue.place,
            f'"{shorten(queue.name)}" may use {_exceeding(maximum, above)}, more than a queue '
            "above it.",
            "Lower the maximum, or raise the one above.",
            _set(queue.maximum, _bound(maximum, above), "Lower the maximum"),
            original=f"max resource of parent {show_original(above)} is smaller than maximum "
            f"resource {show_original(maximum)} for queue {queue.name}",
        )


def _plus(one: Resources, other: Resources) -> Resources:
    """Return the sum, which ends at the largest number of 64 bits."""
    found = dict(one)
    for name, value in other.items():
        found[name] = min(found.get(name, 0) + value, LARGEST)
    return found


def _above(amounts: Resources, bound: Resources | None) -> set[str]:
    """Return the resources that exceed *bound*."""
    if bound is None:
        return set()
    return {name for name, value in amounts.items() if name in bound and value > bound[name]}


def _larger(amounts: Resources, bound: Resources | None) -> Resources:
    """Return the amounts that exceed *bound*."""
    return {name: amounts[name] for name in _above(amounts, bound)}


def _bound(amounts: Resources, bound: Resources | None) -> Resources:
    """Return the bounds of the amounts that exceed them."""
    return {name: (bound or {})[name] for name in _above(amounts, bound)}


def _set(stated: Written[Texts] | None, amounts: Resources, title: str) -> tuple[Repair, ...]:
    return () if stated is None else set_amounts(stated.value, amounts, title)


def _exceeding(amounts: Resources, bound: Resources | None) -> str:
    """Return the resources that exceed *bound* in words."""
    names = [name for name in amounts if name in _above(amounts, bound)]
    shown = [
        f"{shorten(name, 30)} {write_quantity(amounts[name], name)}"
        + (f" of {write_quantity(bound[name], name)}" if bound is not None else "")
        for name in names[:_SHOWN]
    ]
    if len(names) > _SHOWN:
        shown.append("more")
    return listed(shown, "and")


#: Name of a user or group -> what the nearest queue above allows.
_Above = dict[str, T]


class LimitHierarchy:
    """Checks limits against those for the same name, or for all others, in queues above."""

    def __init__(self, amounts: Amounts, problems: Problems) -> None:
        self._amounts = amounts
        self._problems = problems

    def check_resources(self, root: QueueDoc) -> None:
        """Check the resources of all limits."""
        self._resources(root, {}, {})

    def check_applications(self, root: QueueDoc) -> None:
        """Check the numbers of applications of all limits."""
        self._applications(root, {}, {})

    def _resources(
        self, queue: QueueDoc, users: _Above[Resources], groups: _Above[Resources]
    ) -> None:
        below = {"user": dict(users), "group": dict(groups)}
        above = {"user": users, "group": groups}
        for limit in queue.limits:
            stated = self._amounts.read(limit.resources)
            if isinstance(stated, Unread):
                continue
            own = stated or {}
            for what, name in _names(limit):
                known = above[what].get(name.value)
                others = above[what].get(WILDCARD) if name.value != WILDCARD else None
                carried: Resources = own
                if known is not None:
                    if not fits(known, own):
                        self._note_resources(queue, limit, what, name, own, known, is_other=False)
                    carried = least(own, known) or {}
                elif others is not None and not fits(others, own):
                    self._note_resources(queue, limit, what, name, own, others, is_other=True)
                below[what][name.value] = carried
        for child in queue.queues:
            self._resources(child, below["user"], below["group"])

    def _applications(self, queue: QueueDoc, users: _Above[int], groups: _Above[int]) -> None:
        below = {"user": dict(users), "group": dict(groups)}
        above = {"user": users, "group": groups}
        for limit in queue.limits:
            own = limit.most_applications
            for what, name in _names(limit):
                known = above[what].get(name.value)
                others = above[what].get(WILDCARD) if name.value != WILDCARD else None
                bound = known if known is not None else others
                if bound and (own > bound or not own):
                    self._note_applications(queue, limit, what, name, bound, is_other=known is None)
                below[what][name.value] = own
        for child in queue.queues:
            self._applications(child, below["user"], below["group"])

    def _note_resources(
        self,
        queue: QueueDoc,
        limit: LimitDoc,
        what: str,
        name: Written[str],
        own: Resources,
        bound: Resources,
        *,
        is_other: bool,
    ) -> None:
        opening = f"{what} {name.value} max resource {show_original(own)} of queue {queue.name} "
        shown = show_original(bound)
        self._problems.add(
            LIMIT_OVER_ABOVE,
            limit.resources.place if limit.resources else name.place,
            f'The limit for the {what} "{shorten(name.value)}" is {_exceeding(own, bound)}, '
            f"the limit for {_whose(is_other)} in a queue above.",
            "Lower it here, or raise it above.",
            _set(limit.resources, _bound(own, bound), "Lower the limit"),
            original=opening
            + (
                f"is greater than wildcard maximum resource {shown} of immediate or ancestor "
                "parent queue"
                if is_other
                else f"is greater than immediate or ancestor parent maximum resource {shown}"
            ),
        )

    def _note_applications(
        self,
        queue: QueueDoc,
        limit: LimitDoc,
        what: str,
        name: Written[str],
        bound: int,
        *,
        is_other: bool,
    ) -> None:
        own = limit.most_applications
        place: Place = limit.applications.place if limit.applications else name.place
        stated = f"allows {own} applications" if own else "allows any number of applications"
        opening = f"{what} {name.value} max applications {own} of queue {queue.name} "
        self._problems.add(
            LIMIT_OVER_ABOVE,
            place,
            f'The limit for the {what} "{shorten(name.value)}" {stated}, and that for '
            f"{_whose(is_other)} in a queue above {bound}.",
            f"Write maxapplications: {bound} or less here.",
            applications_fix(limit, bound, self._problems.findings),
            original=opening
            + (
                f"is greater than wildcard max applications {bound} of immediate or ancestor "
                "parent queue"
                if is_other
                else f"is greater than immediate or ancestor parent max applications {bound}"
            ),
        )


def _whose(is_other: bool) -> str:
    return "*" if is_other else "the same name"


def _names(limit: LimitDoc) -> Iterator[tuple[str, Written[str]]]:
    for user in limit.users or ():
        yield "user", user
    for group in limit.groups or ():
        yield "group", group
