"""Query parameters of the list of queues: filters, sort order, grouping and comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.http import QueryDict

from console.errors import BadRequest, FieldError
from console.paging import Page, read_cursor, write_cursor
from console.reading import QueryReader
from console.workloads.queries import QueueView
from console.workloads.queries.pressure import utilization_of

#: Minimum and maximum number of queues in a comparison.
FEWEST, MOST = 2, 4

#: States of a queue in the filter; see `state_of`.
STATES: Final = ("accepting", "held", "draining", "passthrough")

#: Filter value for queues without a cohort; no cohort has this name.
NO_COHORT: Final = "-"

#: Sort keys, in descending order; queues with equal keys are sorted by name.
_ORDERS: Final[Mapping[str, Callable[[QueueView], Any]]] = {
    "pressure": lambda view: (view.pressure.rank, view.pending),
    "name": lambda view: 0,
    "running": lambda view: view.running,
    "pending": lambda view: view.pending,
    "age": lambda view: -view.oldest_pending.timestamp() if view.oldest_pending else float("-inf"),
    "utilization": lambda view: utilization_of(view.usages),
}
ORDERS: Final = tuple(_ORDERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSearch:
    """The parameters of an address."""

    q: str = ""
    cohort: str = ""
    state: str = ""
    sort: str = ORDERS[0]
    is_grouped: bool = False
    #: Names of the queues to compare; empty: the list is shown.
    compared: tuple[str, ...] = ()

    def apply(self, views: Iterable[QueueView]) -> list[QueueView]:
        """Return the *views* that match the filters, in sort order."""
        wanted = self.q.casefold()
        found = [
            view
            for view in views
            if wanted in view.name.casefold()
            and self.cohort in ("", view.cohort or NO_COHORT)
            and self.state in ("", state_of(view))
        ]
        found.sort(key=lambda view: view.name)
        found.sort(key=_ORDERS[self.sort], reverse=True)
        if self.sort == "name":
            found.sort(key=lambda view: view.name.casefold())
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
        is_grouped=reader.choice("group", ("cohort",)) is not None,
        compared=tuple(dict.fromkeys(reader.texts("compare"))),
    )
    reader.finish()
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


def page_of(views: Sequence[QueueView], cursor: str | None, size: int) -> Page[QueueView]:
    """Return the page of *views* at *cursor*; raise BadRequest for a cursor of another list."""
    (start,) = read_cursor(cursor) or (0,)
    end = start + size
    return Page(list(views[start:end]), write_cursor(end) if end < len(views) else None)
