"""Usage beyond quota: queues whose running workloads use more than a config allows."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.lints.codes import QUOTA_BELOW_USAGE
from console.dialects.lints.wording import quoted
from console.dialects.place_finder import PlaceFinder
from console.dialects.wording import shorten
from console.engine.disciplines.quota.ledger import Ledger
from console.engine.model.amounts import Unlimited
from console.engine.model.history import Live
from console.engine.model.policy import Policy
from console.engine.wording.words import amount, quantity


def lint_usage(
    policy: Policy, ledger: Ledger, live: Live, places: PlaceFinder, findings: Findings
) -> None:
    """
    Report queues whose running workloads use more than this config allows.

    The usage is charged to *ledger*.
    """
    known = {name: held for name, held in live.usage.items() if name in policy.queues}
    for name, held in known.items():
        ledger.add(name, held)
    for name, held in sorted(known.items()):
        queue, node = policy.queues[name], ledger.queue(name)
        if queue.is_passthrough:
            continue
        for (flavor, resource), used in sorted(held.items()):
            cell = node.cell((flavor, resource))
            available = cell.available
            if isinstance(available, Unlimited) or available >= 0 or used <= cell.nominal:
                continue
            quota = node.quotas.get((flavor, resource))
            where = f"in flavor {quoted(flavor)}"
            may = quantity(max(0, min(used + available, cell.potential)), resource)
            findings.add(
                QUOTA_BELOW_USAGE,
                places.head(quota.origin) if quota is not None else places.name(queue.origin, name),
                f"Queue {quoted(name)} uses {amount(used, shorten(resource))} {where} now, and "
                f"{f'may have {may}' if quota is not None else 'has no quota there any more'}: "
                "running workloads continue, and no other workload starts there until enough of "
                "them have ended.",
                "Raise the quota, or accept the wait.",
            )
