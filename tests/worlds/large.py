"""
The large world: 100,000 workloads and 300 queues in 30 cohorts, with a month of history.

Pending and running workloads were submitted and decided by the engine. A small set of ended
workloads was decided once too, and its rows were then copied into the past in the database; see
`tests.worlds.past`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from console.orgs.models import Role
from console.orgs.services.create_org import create_org
from console.workloads.models import State
from console.workloads.services.end_workloads import release_workloads, withdraw_workloads
from console.workloads.services.hold_queue import hold_queue
from tests.worlds.cast import assemble
from tests.worlds.furnish import add_clusters, add_webhook, furnish, run_periodic_tasks
from tests.worlds.large_config import COHORTS, QUEUES, cohort_name, queue_name
from tests.worlds.past import copy_ended_workloads
from tests.worlds.series import copy_series
from tests.worlds.trail import fill_audit_trail
from tests.worlds.users_and_objects import add_users_and_objects
from tests.worlds.versions import apply_versions
from tests.worlds.work import Body, examples, finish, in_state, settle, submit
from tests.worlds.world import World

WORKLOADS: Final = 100_000

#: Workloads submitted to an odd queue and to an even queue. A cohort can run 120, its ten
#: queues 12 each: odd queues borrow and have pending workloads, even queues lend.
_MANY, _FEW = 30, 8

#: Number of lenders that reclaim quota, and the number of workloads each submits for that.
_RECLAIMING, _RECLAIMED = 20, 6

_DELIVERIES: Final = 3_000


def build() -> World:
    """Return the large world; this takes half a minute of one core."""
    org = create_org("large", "Large", None)
    cast = assemble(org, Role.values)
    owner = cast.owner
    apply_versions(owner)
    settle(org)
    live = sum(1 for bodies in (_live(), _reclaiming()) for _ in bodies)
    ended = submit(owner, _ended())
    finish(owner, in_state(org, State.ADMITTED))
    copy_ended_workloads(org, WORKLOADS - live, len(ended))
    submit(owner, _live())
    withdraw_workloads(owner, in_state(org, State.PENDING)[::100])
    settle(org)
    submit(owner, _reclaiming())
    release_workloads(owner, in_state(org, State.PREEMPTING)[::2])
    settle(org)
    for number in (40, 41, 42):
        hold_queue(owner, queue_name(number), "The network is being rebuilt")
    settle(org)
    things = furnish(owner, queue_name(1))
    add_webhook(owner, deliveries=_DELIVERIES, name="archive")
    add_clusters(owner, clusters=50, nodes=200)
    add_users_and_objects(owner)
    fill_audit_trail(owner)
    copy_series(org)
    run_periodic_tasks(owner)
    return World(
        name="large",
        org=org.slug,
        people=cast.people,
        secrets=cast.secrets,
        other_org=cast.other_org,
        outsider=cast.outsider,
        outsider_secret=cast.outsider_secret,
        queues=tuple(queue_name(n) for n in (7, 8, 40, *range(100, 104))),
        cohorts=tuple(cohort_name(n) for n in (7, 8)),
        **examples(org),
        **things,
    )


def _ended() -> Iterator[Body]:
    """Yield the workloads to copy into the past: one per queue, and some that are rejected."""
    for number in range(QUEUES):
        yield _body(f"train-{number:03}", number)
    for number in range(20):
        # Without a market type no flavor matches; without tags no rule matches.
        lacking = "market_type" if number % 2 else "tags"
        body = _body(f"lost-{number:03}", number)
        del body[lacking]
        yield body


def _live() -> Iterator[Body]:
    """Yield pending and running workloads; every queue uses its own quota before any borrows."""
    for copy in range(_MANY):
        for number in range(QUEUES):
            if copy < (_MANY if number // COHORTS % 2 else _FEW):
                # Higher priorities first, so that later workloads preempt none.
                priority = 50 - copy // 6 * 10
                yield _body(f"run-{number:03}-{copy:02}", number, priority)
    for number in range(10):
        body = _body(f"huge-{number}", number)
        yield body | {"requests": {"gpu": 2_000, "cpu": 8}}


def _reclaiming() -> Iterator[Body]:
    for number in range(_RECLAIMING):
        for copy in range(_RECLAIMED):
            yield _body(f"back-{number:03}-{copy}", number, priority=90)


def _body(name: str, number: int, priority: int = 50) -> Body:
    return {
        "name": name,
        "type": ("job", "job", "job", "service", "workspace")[number % 5],
        "tags": {"team": queue_name(number), "stage": f"stage-{number % 7}"},
        "market_type": "SPOT",
        "priority": priority,
        "requests": {"gpu": 2, "cpu": 8},
        "user": f"user-{number % 50}",
        "project": f"project-{number % 11}",
    }
