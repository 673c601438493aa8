"""Checks of guarantees and maxima against those above, and of limits against limits above."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

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
from console.engine.disciplines.hierarchy.resources import Resources, fits, is_zero

K = TypeVar("K")
T = TypeVar("T")
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class _Sum:
    """The guarantees of a queue as its parent counts them."""

    #: Without those that a queue in the middle hides.
    counted: Resources
    complete: Resources

    @staticmethod
    def of(sums: Iterator[_Sum]) -> _Sum:
        """Return the sum of the guarantees of several queues."""
        counted: dict[str, int] = {}
        complete: dict[str, int] = {}
        for each in sums:
            _add(counted, each.counted)
            _add(complete, each.complete)
        return _Sum(counted, complete)


class ResourceChecks:
    """Checks the guarantees and maxima of all queues of a partition, in YuniKorn's order."""

    def __init__(self, amounts: Amounts, problems: Problems) -> None:
        self._amounts = amounts
        self._problems = problems
        #: The lowest maximum of each resource above the queue that is checked.
        self._lowest: dict[str, int] = {}

    def check(self, root: QueueDoc) -> None:
        """Check a root and the queues below it."""
        self._check(root)

    def _check(self, queue: QueueDoc) -> _Sum:
        own_guaranteed = self._amounts.read(queue.guaranteed)
        own_maximum = self._amounts.read(queue.maximum)
        guaranteed = None if isinstance(own_guaranteed, Unread) else own_guaranteed
        maximum = None if isinstance(own_maximum, Unread) else own_maximum
        if guaranteed is not None and not fits(maximum, guaranteed):
            self._note_guarantee(queue, guaranteed, maximum)
        if maximum is not None and not fits(self._lowest, maximum):
            self._note_maximum(queue, maximum, self._lowest)
        with _lowered(self._lowest, maximum or {}):
            sums = _Sum.of(map(self._check, queue.queues))
            self._check_sums(queue, guaranteed, self._lowest, sums)
        if guaranteed is None or is_zero(guaranteed):
            return sums
        return _Sum(guaranteed, {**sums.complete, **guaranteed})

    def _check_sums(
        self, queue: QueueDoc, guaranteed: Resources | None, effective: Resources, sums: _Sum
    ) -> None:
        name = queue.name
        if guaranteed is not None and not fits(guaranteed, sums.counted):
            self._problems.add(
                GUARANTEES_OVER_PARENT,
                queue.guaranteed.place if queue.guaranteed else queue.place,
                f'The queues below "{shorten(name)}" guarantee '
                f"{_exceeding(sums.counted, guaranteed)}, more than it guarantees itself.",
                "Raise the guarantee here, or lower those below.",
                _set(queue.guaranteed, _larger(sums.counted, guaranteed), "Guarantee their sum"),
                original=f"guaranteed resource of parent {show_original(guaranteed)} is smaller "
                f"than sum of guaranteed resources {show_original(sums.counted)} of the children "
                f"for queue {name}",
            )
        if not fits(effective, sums.counted):
            self._problems.add(
                GUARANTEES_OVER_MAX,
                queue.maximum.place if queue.maximum else queue.name_place,
                f'The queues below "{shorten(name)}" guarantee '
                f"{_exceeding(sums.counted, effective)}, more than it may use.",
                "Raise the maximum of the queue or of those above it, or lower the guarantees.",
                original=f"max resource {show_original(effective)} is smaller than sum of "
                f"guaranteed resources {show_original(sums.counted)} of the children for queue "
                f"{name}",
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
                    f"{listed(sorted(hidden)[:_SHOWN], 'and')} than it guarantees or may use. "
                    "YuniKorn does not notice it, because a queue between them guarantees other "
                    "resources only.",
                    "State the guarantee in the queue between them too.",
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

    def _note_maximum(self, queue: QueueDoc, maximum: Resources, above: Resources) -> None:
        self._problems.add(
            MAX_OVER_PARENT,
            queue.maximum.place if queue.maximum else queue.place,
            f'"{shorten(queue.name)}" may use {_exceeding(maximum, above)}, more than a queue '
            "above it may use.",
            "Lower the maximum, or raise the one above.",
            _set(queue.maximum, _bound(maximum, above), "Lower the maximum"),
            original=f"max resource of parent {show_original(above)} is smaller than maximum "
            f"resource {show_original(maximum)} for queue {queue.name}",
        )


def _add(total: dict[str, int], amounts: Resources) -> None:
    """Add amounts to a total, which ends at the largest number of 64 bits."""
    for name, value in amounts.items():
        total[name] = min(total.get(name, 0) + value, LARGEST)


@contextmanager
def _lowered(bounds: dict[str, int], stated: Resources) -> Iterator[None]:
    """Lower *bounds* to *stated* meanwhile; a copy for each queue would cost all of them."""
    lower = {name: min(value, bounds.get(name, value)) for name, value in stated.items()}
    with _replaced(bounds, lower):
        yield


@contextmanager
def _replaced(values: dict[K, T], changes: Mapping[K, T]) -> Iterator[None]:
    """Apply changes to *values* meanwhile."""
    before = {key: values[key] for key in changes if key in values}
    values.update(changes)
    try:
        yield
    finally:
        for key in changes:
            if key in before:
                values[key] = before[key]
            else:
                del values[key]


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
    above = _above(amounts, bound)
    names = [name for name in amounts if name in above]
    shown = [
        f"{shorten(name, 30)} {write_quantity(amounts[name], name)}"
        + (f" (at most {write_quantity(bound[name], name)})" if bound is not None else "")
        for name in names[:_SHOWN]
    ]
    if len(names) > _SHOWN:
        shown.append("more")
    return listed(shown, "and")


#: Users or groups, and a name.
_Holder: TypeAlias = tuple[str, str]


class LimitHierarchy:
    """Checks limits against those for the same name, or for all others, in queues above."""

    def __init__(self, amounts: Amounts, problems: Problems) -> None:
        self._amounts = amounts
        self._problems = problems
        #: What the queues above the one that is checked allow.
        self._resources: dict[_Holder, dict[str, int]] = {}
        self._applications: dict[_Holder, int] = {}

    def check_resources(self, queue: QueueDoc) -> None:
        """Check the resources of all limits of a queue and of those below it."""
        found: dict[_Holder, Resources] = {}
        for limit in queue.limits:
            stated = self._amounts.read(limit.resources)
            if isinstance(stated, Unread):
                continue
            own = stated or {}
            for what, name in _names(limit):
                known, is_other = self._bound(self._resources, what, name)
                if known is not None and not fits(known, own):
                    self._note_resources(queue, limit, what, name, own, known, is_other=is_other)
                found[what, name.value] = own
        with ExitStack() as stack:
            new: dict[_Holder, dict[str, int]] = {
                holder: {} for holder in found if holder not in self._resources
            }
            stack.enter_context(_replaced(self._resources, new))
            for holder, own in found.items():
                stack.enter_context(_lowered(self._resources[holder], own))
            for child in queue.queues:
                self.check_resources(child)

    def check_applications(self, queue: QueueDoc) -> None:
        """Check the numbers of applications of all limits of a queue and of those below it."""
        found: dict[_Holder, int] = {}
        for limit in queue.limits:
            own = limit.most_applications
            for what, name in _names(limit):
                bound, is_other = self._bound(self._applications, what, name)
                if bound and (own > bound or not own):
                    self._note_applications(queue, limit, what, name, bound, is_other=is_other)
                found[what, name.value] = own
        with _replaced(self._applications, found):
            for child in queue.queues:
                self.check_applications(child)

    @staticmethod
    def _bound(known: Mapping[_Holder, T], what: str, name: Written[str]) -> tuple[T | None, bool]:
        """Return what the queues above allow a name, and whether that is for all other names."""
        own = known.get((what, name.value))
        if own is not None or name.value == WILDCARD:
            return own, False
        return known.get((what, WILDCARD)), True

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
            f"more than the limit for {_whose(is_other)} in a queue above.",
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
            f'The limit for the {what} "{shorten(name.value)}" {stated}, more than the '
            f"{bound} of the limit for {_whose(is_other)} in a queue above.",
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
