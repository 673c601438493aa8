"""What a list of queues is asked: which queues, in which order, and which to put side by side."""

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

#: Queues that can be put side by side.
FEWEST, MOST = 2, 4

#: What a queue does with new work.
STATES: Final = ("accepting", "held", "draining", "passthrough")

#: Stands for queues without a cohort, which no cohort is called: names are not blank.
NO_COHORT: Final = "-"

#: What decides the place of a queue, the largest first; the name decides among equals.
_ORDERS: Final[Mapping[str, Callable[[QueueView], Any]]] = {
    "pressure": lambda view: (view.pressure.rank, view.pending),
    "name": lambda view: 0,
    "age": lambda view: -view.oldest_pending.timestamp() if view.oldest_pending else float("-inf"),
    "utilization": lambda view: utilization_of(view.usages),
}
ORDERS: Final = tuple(_ORDERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSearch:
    """What an address asks for."""

    q: str = ""
    cohort: str = ""
    state: str = ""
    sort: str = ORDERS[0]
    is_grouped: bool = False
    #: Queues to put side by side; empty: the list is asked for.
    compared: tuple[str, ...] = ()

    def apply(self, views: Iterable[QueueView]) -> list[QueueView]:
        """Return those of *views* that pass, in order."""
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
            # A cohort stands where the first of its queues would; queues without one come last.
            places = {view.cohort: place for place, view in reversed(list(enumerate(found)))}
            found.sort(key=lambda view: (view.cohort is None, places[view.cohort]))
        return found


def read_search(query: QueryDict) -> QueueSearch:
    """Read an address; raises BadRequest that names every wrong value."""
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
    """Return what a queue does with new work: one of `STATES`."""
    if view.held:
        return "held"
    if view.draining:
        return "draining"
    if view.is_stopped:
        return "held"
    return "passthrough" if view.passthrough else "accepting"


def page_of(views: Sequence[QueueView], cursor: str | None, size: int) -> Page[QueueView]:
    """Return the part of *views* from *cursor* on; raises BadRequest for one of another list."""
    (start,) = read_cursor(cursor) or (0,)
    end = start + size
    return Page(list(views[start:end]), write_cursor(end) if end < len(views) else None)
