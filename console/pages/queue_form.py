"""Query parameters of the list of queues: filters, sort order, grouping, tree and comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

from django.http import QueryDict

from console.errors import BadRequest, FieldError
from console.paging import Page, read_cursor, write_cursor
from console.reading import QueryReader
from console.workloads.queries import QueueView
from console.workloads.queries.queue_tree import TreeNode

#: Minimum and maximum number of queues in a comparison.
FEWEST, MOST = 2, 4

#: States of a queue in the filter; see `state_of`.
STATES: Final = ("accepting", "held", "draining", "passthrough")

#: Filter value for queues without a cohort; no cohort has this name.
NO_COHORT: Final = "-"

#: How queues are grouped: below the name of their cohort, or as a tree with all cohorts.
GROUPS: Final = ("cohort", "tree")

#: Maximum number of levels of a tree that are unfolded together; more is as good as all.
MOST_LEVELS: Final = 20

#: Maximum number of nodes that an address unfolds or folds one by one.
MOST_TOGGLED: Final = 40


Sortable: TypeAlias = QueueView | TreeNode

S = TypeVar("S", QueueView, TreeNode)
T = TypeVar("T")

#: Sort keys, in descending order; queues with equal keys are sorted by name.
_ORDERS: Final[Mapping[str, Callable[[Sortable], Any]]] = {
    "pressure": lambda each: (each.pressure.rank, each.pending),
    "name": lambda each: 0,
    "running": lambda each: each.running,
    "pending": lambda each: each.pending,
    "age": lambda each: -each.oldest_pending.timestamp() if each.oldest_pending else float("-inf"),
    "utilization": lambda each: each.utilization,
}
ORDERS: Final = tuple(_ORDERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSearch:
    """The parameters of an address."""

    q: str = ""
    cohort: str = ""
    state: str = ""
    sort: str = ORDERS[0]
    #: One of `GROUPS`; empty: a list.
    group: str = ""
    #: The resource whose amounts the tree shows; empty: the first one.
    resource: str = ""
    #: Number of levels of the tree that are unfolded; None: as many as fit on a screen.
    levels: int | None = None
    #: Names of nodes that are unfolded or folded, whatever their level.
    unfolded: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    #: Names of the queues to compare; empty: the list is shown.
    compared: tuple[str, ...] = ()

    @property
    def is_grouped(self) -> bool:
        """Whether the list has the names of cohorts above their queues."""
        return self.group == "cohort"

    @property
    def is_tree(self) -> bool:
        """Whether queues are shown below the cohorts that contain them."""
        return self.group == "tree"

    @property
    def is_filtered(self) -> bool:
        """Whether some queues may not match."""
        return bool(self.q or self.cohort or self.state)

    def matches(self, view: QueueView) -> bool:
        """Return whether a queue matches the filters."""
        return (
            self.q.casefold() in view.name.casefold()
            and self.cohort in ("", view.cohort or NO_COHORT)
            and self.state in ("", state_of(view))
        )

    def sorted(self, found: Iterable[S]) -> list[S]:
        """Return queues or nodes in sort order."""
        ordered = sorted(found, key=lambda each: each.name)
        ordered.sort(key=_ORDERS[self.sort], reverse=True)
        if self.sort == "name":
            ordered.sort(key=lambda each: each.name.casefold())
        return ordered

    def apply(self, views: Iterable[QueueView]) -> list[QueueView]:
        """Return the *views* that match the filters, in sort order."""
        found = self.sorted(filter(self.matches, views))
        if self.is_grouped:
            # A cohort takes the position of its first queue; queues without a cohort come last.
            places = {view.cohort: place for place, view in reversed(list(enumerate(found)))}
            found.sort(key=lambda view: (view.cohort is None, places[view.cohort]))
        return found


def read_search(query: QueryDict) -> QueueSearch:
    """Return the parameters in *query*; raise BadRequest with every invalid value."""
    reader = QueryReader(query)
    found = QueueSearch(
        q=reader.text("q") or "",
        cohort=reader.text("cohort") or "",
        state=reader.choice("state", STATES) or "",
        sort=reader.choice("sort", ORDERS) or ORDERS[0],
        group=reader.choice("group", GROUPS) or "",
        resource=reader.text("resource") or "",
        levels=reader.number("levels"),
        unfolded=tuple(dict.fromkeys(reader.texts("open"))),
        folded=tuple(dict.fromkeys(reader.texts("fold"))),
        compared=tuple(dict.fromkeys(reader.texts("compare"))),
    )
    reader.finish()
    if found.levels is not None and not 1 <= found.levels <= MOST_LEVELS:
        message = f"The number of levels has to be from 1 to {MOST_LEVELS}."
        raise BadRequest([FieldError("levels", "out_of_range", message)])
    for name, given in (("open", found.unfolded), ("fold", found.folded)):
        if len(given) > MOST_TOGGLED:
            message = f"At most {MOST_TOGGLED} names; these are {len(given)}."
            raise BadRequest([FieldError(name, "wrong_length", message)])
    if found.compared and not FEWEST <= len(found.compared) <= MOST:
        message = (
            f"Select {FEWEST} to {MOST} queues to compare; {len(found.compared)} "
            f"{'is' if len(found.compared) == 1 else 'are'} selected."
        )
        raise BadRequest([FieldError("compare", "wrong_length", message)])
    return found


def state_of(view: QueueView) -> str:
    """Return how a queue treats new workloads: one of `STATES`."""
    if view.held:
        return "held"
    if view.draining:
        return "draining"
    if view.is_stopped:
        return "held"
    return "passthrough" if view.passthrough else "accepting"


def page_of(views: Sequence[T], cursor: str | None, size: int) -> Page[T]:
    """Return the page of *views* at *cursor*; raise BadRequest for a cursor of another list."""
    (start,) = read_cursor(cursor) or (0,)
    end = start + size
    return Page(list(views[start:end]), write_cursor(end) if end < len(views) else None)
