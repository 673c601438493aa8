"""A small world of nested cohorts: an active policy, and rows as the engine writes them."""

from __future__ import annotations

import pytest

from console.configs.models import ActiveConfig, ConfigVersion
from console.engine.disciplines.quota.spec import (
    Cohort,
    FlavorQuotas,
    Preemption,
    PreemptionRule,
    QueueSpec,
    Quota,
    ResourceGroup,
    quota_policy,
)
from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy
from console.orgs.models import Organization
from console.policies import queries as configs
from console.workloads.models import Engine, PendingClass, QueueCount, Usage


def quotas(
    *flavors: tuple[str, Amount], borrow: Amount = UNLIMITED, lend: Amount = UNLIMITED
) -> tuple[ResourceGroup, ...]:
    """Return one resource group for gpu with the nominal quota of each of *flavors*."""
    return (
        ResourceGroup(
            resources=("gpu",),
            flavors=tuple(
                FlavorQuotas(
                    flavor=name,
                    quotas={
                        "gpu": Quota(nominal=nominal, borrowing_limit=borrow, lending_limit=lend)
                    },
                )
                for name, nominal in flavors
            ),
        ),
    )


#: all (2) { ml { research (8 spot, 2 reserved), batch (6, lends 5) }, archive (4) }; alone (2).
LAB = quota_policy(
    "native",
    cohorts={
        "ml": Cohort(name="ml", parent="all"),
        "all": Cohort(name="all", groups=quotas(("spot", 2000)), origin=Origin(1, 1, 2, 9)),
    },
    queues={
        "research": QueueSpec(
            name="research",
            parent="ml",
            groups=quotas(("spot", 8000), ("reserved", 2000)),
            preemption=Preemption(
                reclaim_within_cohort=PreemptionRule.LOWER_PRIORITY,
                borrow_within_cohort=PreemptionRule.LOWER_PRIORITY,
                max_priority_threshold=50,
            ),
        ),
        "batch": QueueSpec(name="batch", parent="ml", groups=quotas(("spot", 6000), lend=5000)),
        "archive": QueueSpec(
            name="archive",
            parent="all",
            groups=quotas(("spot", 4000), borrow=3000),
            preemption=Preemption(reclaim_within_cohort=PreemptionRule.ANY),
        ),
        "alone": QueueSpec(name="alone", groups=quotas(("spot", 2000))),
    },
)


def activate_policy(org: Organization, policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the active version of *org* compile to *policy*."""
    given = {"dialect": policy.dialect, "text": "", "author": "somebody"}
    ConfigVersion.objects.get_or_create(org=org, number=1, defaults=given)
    ActiveConfig.objects.filter(org=org).update(number=1)
    # Patch below the function that modules import by name: they may be imported while the patch is
    # active.
    monkeypatch.setattr(configs, "_compile", lambda dialect, text: policy)


def use(org: Organization, queue: str, flavor: str, amount: int, running: int = 1) -> None:
    """Create *running* workloads of a queue that use *amount* thousandths of gpu."""
    Usage.objects.create(org=org, queue=queue, flavor=flavor, resource="gpu", used=amount)
    QueueCount.objects.update_or_create(org=org, queue=queue, defaults={"running": running})


def wait(
    org: Organization,
    queue: str,
    reason: str,
    count: int,
    gpu: int,
    missing: dict[str, int] | None = None,
) -> None:
    """Create *count* pending workloads in a queue, each requesting *gpu* thousandths."""
    PendingClass.objects.create(
        org=org,
        key=f"{queue}-{reason}-{gpu}",
        queue=queue,
        priority=0,
        requests={"gpu": gpu},
        reason=reason,
        missing=missing or {},
        count=count,
    )
    row, _ = QueueCount.objects.get_or_create(org=org, queue=queue)
    row.pending += count
    row.save()


def fill(org: Organization, monkeypatch: pytest.MonkeyPatch) -> None:
    """Activate the lab policy: research borrows, batch is short of the quota that it lends."""
    activate_policy(org, LAB, monkeypatch)
    use(org, "research", "spot", 15000, running=3)
    use(org, "batch", "spot", 2000)
    use(org, "alone", "spot", 3000)
    wait(org, "batch", "waiting_for_quota", 2, 6000, {"spot/gpu": 2000})
    wait(org, "batch", "behind_others", 5, 1000)
    wait(org, "research", "waiting_for_quota", 1, 4000, {"spot/gpu": 1000})
    Engine.objects.filter(org=org).update(version=1)


def fill_three(org: Organization, monkeypatch: pytest.MonkeyPatch) -> None:
    """Activate three cohorts of one queue each: one idle, one full, one with pending work."""
    names = ("quiet", "busy", "Waiting")
    policy = quota_policy(
        "native",
        cohorts={name: Cohort(name=name) for name in names},
        queues={
            f"q-{name}": QueueSpec(name=f"q-{name}", parent=name, groups=quotas(("f", 4000)))
            for name in names
        },
    )
    activate_policy(org, policy, monkeypatch)
    use(org, "q-busy", "f", 4000)
    wait(org, "q-Waiting", "waiting_for_quota", 3, 1000)
