"""Builders and strategies of small quota trees of one flavor-resource."""

from __future__ import annotations

from hypothesis import strategies as st

from console.engine.disciplines.quota.spec import (
    Cohort,
    FlavorQuotas,
    QueueSpec,
    Quota,
    ResourceGroup,
    quota_policy,
)
from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.policy import Policy

KEY = ("any", "gpu")


def group(nominal: Amount, borrow: Amount, lend: Amount) -> tuple[ResourceGroup, ...]:
    quota = Quota(nominal=nominal, borrowing_limit=borrow, lending_limit=lend)
    flavor = FlavorQuotas(flavor=KEY[0], quotas={KEY[1]: quota})
    return (ResourceGroup(resources=(KEY[1],), flavors=(flavor,)),)


def queue(
    name: str,
    parent: str | None,
    nominal: Amount,
    *,
    borrow: Amount = UNLIMITED,
    lend: Amount = UNLIMITED,
) -> QueueSpec:
    return QueueSpec(name=name, parent=parent, groups=group(nominal, borrow, lend))


def cohort(
    name: str, parent: str | None = None, nominal: Amount = 0, lend: Amount = UNLIMITED
) -> Cohort:
    return Cohort(name=name, parent=parent, groups=group(nominal, UNLIMITED, lend))


def policy(*nodes: QueueSpec | Cohort) -> Policy:
    return quota_policy(
        "native",
        queues={node.name: node for node in nodes if isinstance(node, QueueSpec)},
        cohorts={node.name: node for node in nodes if isinstance(node, Cohort)},
    )


amounts = st.integers(0, 12)
limits = amounts | st.just(UNLIMITED)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Policy, dict[str, int]]:
    """Draw a policy of up to four cohorts and up to six queues, and any usage by queue."""
    names = [f"c{number}" for number in range(draw(st.integers(1, 4)))]
    cohorts = [
        cohort(
            name,
            draw(st.sampled_from([None, *names[:number]])) if number else None,
            draw(amounts),
            draw(limits),
        )
        for number, name in enumerate(names)
    ]
    queues = [
        queue(
            f"q{number}",
            draw(st.sampled_from([None, *names])),
            draw(limits),
            borrow=draw(limits),
            lend=draw(limits),
        )
        for number in range(draw(st.integers(1, 6)))
    ]
    return policy(*cohorts, *queues), {each.name: draw(st.integers(0, 30)) for each in queues}
