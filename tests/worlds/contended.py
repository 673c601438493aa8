"""
The contended world: one cohort of many queues, each of which may stop workloads of the others.

200 queues of 8 flavors with every right to preempt that Kueue knows, 8,000 workloads that run and
3,000 that wait: here a question about what would start one of them has the most to look at.
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
    """Return the organization with all its workloads."""
    return build_of(QUEUES, RUNNING, PENDING)


def build_of(queues: int, live: int, pending: int) -> World:
    """Return the organization with so many queues and workloads."""
    org = create_org("contended", "Contended", None)
    cast = assemble(org, Role.values)
    owner = cast.owner
    # While it fills up, no workload preempts another.
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
