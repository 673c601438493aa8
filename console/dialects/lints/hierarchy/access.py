"""Queues to which no user may submit."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.lints.codes import NO_SUBMITTERS
from console.dialects.lints.wording import quoted
from console.dialects.place_finder import PlaceFinder
from console.engine.disciplines.hierarchy.spec import AccessList, HierarchyQueue, HierarchySpec

_CLOSED = AccessList()


def lint_access(spec: HierarchySpec, places: PlaceFinder, findings: Findings) -> None:
    """Report each queue that is closed together with all queues below it, the highest ones only."""
    open_above: set[str] = set()
    #: Queues that state access, and those above them.
    with_access: set[str] = set()
    for queue in spec.queues.values():
        if not _is_closed(queue):
            with_access.update((queue.name, *spec.path(queue.name)))
        if not _is_closed(queue) or queue.parent in open_above:
            open_above.add(queue.name)
    closed = [
        queue
        for queue in spec.queues.values()
        if queue.name not in open_above and queue.name not in with_access
    ]
    names = {queue.name for queue in closed}
    for queue in closed:
        if queue.parent not in names:
            below = "" if queue.is_leaf else " and those below it"
            findings.add(
                NO_SUBMITTERS,
                places.last_name(queue.origin, queue.spelling),
                f"No user may submit to queue {quoted(queue.name)}{below}: neither it nor a queue "
                "above it has submitacl or adminacl.",
                'Add submitacl: "*" for all users, or a list of users and groups.',
            )


def _is_closed(queue: HierarchyQueue) -> bool:
    return queue.submit == queue.admin == _CLOSED
