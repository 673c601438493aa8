"""The demo world: the demo organization of a first start, after some of its traffic."""

from __future__ import annotations

from random import Random

from console.orgs.models import Role, User
from console.supervisor import demo
from console.traffic.mix import workload
from console.workloads.models import State
from console.workloads.services.end_workloads import release_workloads, withdraw_workloads
from tests.worlds.cast import assemble, hashed_password
from tests.worlds.furnish import furnish, run_periodic_tasks
from tests.worlds.work import examples, finish, in_state, settle, submit
from tests.worlds.world import World

#: Workloads submitted before and after some of the earlier ones end.
_BEFORE, _AFTER = 160, 80


def build() -> World:
    """Return the demo organization after the engine has decided some of its traffic."""
    owner = User.objects.create(email="owner@demo.example", password=hashed_password())
    org = demo.create_example(owner, demo.PRIORITY_DEMO)
    cast = assemble(org, Role.values)
    draw = Random(1)
    bodies = [workload(draw, n, cast.people["submitter"]) for n in range(_BEFORE + _AFTER)]
    submit(cast.owner, bodies[:_BEFORE])
    finish(cast.owner, in_state(org, State.ADMITTED)[::2])
    withdraw_workloads(cast.owner, in_state(org, State.PENDING)[::9])
    submit(cast.owner, bodies[_BEFORE:])
    release_workloads(cast.owner, in_state(org, State.PREEMPTING)[1::2])
    settle(org)
    queues = tuple(org.queue_counts.order_by("-pending", "queue").values_list("queue", flat=True))
    things = furnish(cast.owner, queues[0])
    run_periodic_tasks(cast.owner)
    return World(
        name="demo",
        org=org.slug,
        people=cast.people,
        secrets=cast.secrets,
        other_org=cast.other_org,
        outsider=cast.outsider,
        outsider_secret=cast.outsider_secret,
        queues=queues,
        **examples(org),
        **things,
    )
