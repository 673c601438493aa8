"""Quotas that probably have another effect than intended: missing (unlimited) or 0 (blocked)."""

from __future__ import annotations

from collections.abc import Iterator

from console.dialects.findings import Findings
from console.dialects.lints.codes import BLOCKED_BY_ZERO, UNLIMITED_QUOTA
from console.dialects.lints.wording import quoted
from console.dialects.place_finder import PlaceFinder
from console.dialects.wording import listed, shorten
from console.engine.disciplines.quota.ledger import Ledger
from console.engine.disciplines.quota.spec import FlavorQuotas, QueueSpec, Quota, spec_of
from console.engine.model.amounts import UNLIMITED
from console.engine.model.policy import Policy


def lint_quotas(policy: Policy, ledger: Ledger, places: PlaceFinder, findings: Findings) -> None:
    """Report quotas that are unlimited because none is written, and resources blocked by 0."""
    for queue in spec_of(policy).queues.values():
        for group in queue.groups:
            for entry in group.flavors:
                _lint_unlimited(queue, entry, places, findings)
            for resource in group.resources:
                quotas = [entry.quotas.get(resource, Quota()) for entry in group.flavors]
                node = ledger.queue(queue.name)
                if all(quota.nominal == 0 for quota in quotas) and not any(
                    node.potential((entry.flavor, resource)) > 0 for entry in group.flavors
                ):
                    findings.add(
                        BLOCKED_BY_ZERO,
                        places.head(quotas[0].origin),
                        f"Queue {quoted(queue.name)} never admits workloads that request "
                        f"{shorten(resource)}: its quota is 0 and none can be borrowed.",
                        "Set a quota above 0, or remove the resource if it is not intended.",
                    )


def _lint_unlimited(
    queue: QueueSpec, entry: FlavorQuotas, places: PlaceFinder, findings: Findings
) -> None:
    unlisted = []
    for resource, quota in _unlimited(entry):
        if quota.origin == entry.origin:
            unlisted.append(resource)
            continue
        findings.add(
            UNLIMITED_QUOTA,
            places.head(quota.origin),
            f"No quota of {shorten(resource)} is set here, so it has no limit in flavor "
            f"{quoted(entry.flavor)}.",
            "Set a number; 0 blocks it.",
        )
    if unlisted:
        findings.add(
            UNLIMITED_QUOTA,
            places.name(entry.origin, entry.flavor),
            f"{listed(map(shorten, unlisted), 'and')} {'has' if len(unlisted) == 1 else 'have'} "
            f"no quota in flavor {quoted(entry.flavor)} of queue {quoted(queue.name)}, so there is "
            "no limit.",
            "Set a number; 0 blocks it.",
        )


def _unlimited(entry: FlavorQuotas) -> Iterator[tuple[str, Quota]]:
    for resource, quota in entry.quotas.items():
        if quota.nominal is UNLIMITED:
            yield resource, quota
