"""
The contended world: one cohort of many queues that may preempt each other's workloads.

200 queues of 8 flavors with all preemption policies of Kueue enabled, 8,000 running and 3,000
pending workloads: the largest search for what would admit a pending workload.
"""

from __future__ import annotations

from random import Random

from console.configs.services.apply_config import apply_config
from console.orgs.models import Role
from console.orgs.services.create_org import create_org
from tests.worlds.cast import assemble
from tests.worlds.contended_config import PENDING, QUEUES, RUNNING, config, running, waiting
from tests.worlds.work import examples, settle, submit
from tests.worlds.world import World


def build() -> World:
    """Return the contended world with all its workloads."""
    return build_of(QUEUES, RUNNING, PENDING)


def build_of(queues: int, live: int, pending: int) -> World:
    """Return a contended world with the given numbers of queues and workloads."""
    org = create_org("contended", "Contended", None)
    cast = assemble(org, Role.values)
    owner = cast.owner
    # Preemption is off while the queues fill up.
    apply_config(owner, "kueue", config(queues, live, preempts=False), "Fill up", 0)
    draw = Random(1)
    submit(owner, running(queues, live, draw))
    submit(owner, waiting(queues, pending, draw))
    apply_config(owner, "kueue", config(queues, live), "Allow preemption", 1)
    settle(org)
    return World(
        name="contended",
        org=org.slug,
        people=cast.people,
        secrets=cast.secrets,
        other_org=cast.other_org,
        outsider=cast.outsider,
        outsider_secret=cast.outsider_secret,
        queues=tuple(f"q{number}" for number in range(queues)),
        cohorts=("all",),
        **examples(org),
    )
