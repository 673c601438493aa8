"""Cohort facts of a quota check: the cohorts above, possible lenders, and where it borrows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from console.engine.disciplines.quota.ledger import Ledger
from console.engine.disciplines.quota.pools import with_pools
from console.engine.disciplines.quota.spec import (
    Cohort,
    FlavorQuotas,
    QueueSpec,
    Quota,
    ResourceGroup,
    quota_policy,
)
from console.engine.disciplines.quota.trace import GroupStep, NodeFact
from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.origin import Origin
from console.engine.model.trace import FlavorVerdict
from tests.engine.explanation_traces import check, walk

LINE = Origin(4, 1, 4, 9)


def gpu(
    nominal: Amount, borrow: Amount = UNLIMITED, lend: Amount = UNLIMITED
) -> tuple[ResourceGroup, ...]:
    quota = Quota(nominal=nominal, borrowing_limit=borrow, lending_limit=lend, origin=LINE)
    entry = FlavorQuotas(flavor="a100", quotas={"gpu": quota})
    return (ResourceGroup(resources=("gpu",), flavors=(entry,)),)


def tree() -> Ledger:
    """Return org { ml (2) { train, eval, sealed }, batch, big, idle, small, tiny }, alone."""
    queues = {
        "train": ("ml", gpu(4000, borrow=8000)),
        "eval": ("ml", gpu(3000)),
        "sealed": ("ml", gpu(6000, lend=1000)),
        "batch": ("org", gpu(5000)),
        "big": ("org", gpu(UNLIMITED)),
        "idle": ("org", gpu(9000)),
        "small": ("org", gpu(700)),
        "tiny": ("org", gpu(500)),
        "empty": ("org", ()),
        "alone": (None, gpu(4000)),
    }
    ledger = Ledger(
        quota_policy(
            "kueue",
            queues={
                name: QueueSpec(name=name, parent=parent, groups=groups)
                for name, (parent, groups) in queues.items()
            },
            cohorts={
                "ml": Cohort(name="ml", parent="org", groups=gpu(2000, borrow=1000)),
                "org": Cohort(name="org"),
            },
        )
    )
    for queue, used in {"train": 6000, "eval": 1000, "batch": 5000}.items():
        ledger.add(queue, {("a100", "gpu"): used})
    return ledger


def test_a_check_gets_the_cohorts_above_and_who_could_lend() -> None:
    ledger = tree()
    groups = walk(check(FlavorVerdict.NO_ROOM))
    (group,) = with_pools(groups, ledger.queue("train"))
    ml, org = ledger.cohort("ml").cell(("a100", "gpu")), ledger.cohort("org").cell(("a100", "gpu"))
    (pooled,) = group.flavors[0].checks
    assert pooled == replace(
        groups[0].flavors[0].checks[0],
        borrowing_limit=8000,
        path=(
            # 2 of the cohort itself, 4 of train, 3 of eval, and 1 that sealed lends.
            NodeFact(
                name="ml",
                quota=10000,
                used=7000,
                available=ml.available,
                borrowing_limit=1000,
                origin=LINE,
            ),
            NodeFact(
                name="org",
                quota=UNLIMITED,
                used=12000,
                available=org.available,
                borrowing_limit=UNLIMITED,
            ),
        ),
        # The five largest; a queue with unlimited quota has no amount to list.
        lenders={"idle": 9000, "eval": 2000, "sealed": 1000, "small": 700, "tiny": 500},
    )
    # The rest of the group is unchanged.
    assert replace(group, flavors=()) == replace(groups[0], flavors=())


@pytest.mark.parametrize(("level", "cohort"), [(0, None), (1, "ml"), (2, "org")])
def test_a_borrowing_level_names_a_cohort(level: int, cohort: str | None) -> None:
    groups = walk(check(FlavorVerdict.FITS, borrow_level=level))
    (group,) = with_pools(groups, tree().queue("train"))
    assert group.flavors[0].checks[0].borrows_from == cohort


def test_the_level_of_a_queue_high_in_the_tree_skips_none() -> None:
    groups = walk(check(FlavorVerdict.FITS, borrow_level=2))
    (group,) = with_pools(groups, tree().queue("batch"))
    (judged,) = group.flavors[0].checks
    assert (judged.borrows_from, [fact.name for fact in judged.path]) == ("org", ["org"])


def test_queue_without_cohort_has_no_cohort_facts() -> None:
    groups: tuple[GroupStep, ...] = walk(check(FlavorVerdict.NO_ROOM))
    assert with_pools(groups, tree().queue("alone")) is groups
