"""What runs now against a config: quotas below it, and queues that are gone or were renamed."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.lints.codes import LOOKS_RENAMED, QUOTA_BELOW_USAGE, REMOVED_WITH_WORK
from console.dialects.lints.spots import START, Spots
from console.dialects.lints.wording import quoted
from console.dialects.wording import shorten
from console.engine.diff.renames import find_renames
from console.engine.diff.values import Noun
from console.engine.disciplines.quota.ledger import Ledger
from console.engine.model.amounts import Unlimited
from console.engine.model.history import Live
from console.engine.model.policy import Policy
from console.engine.wording.words import amount, quantity


def lint_usage(
    policy: Policy, ledger: Ledger, live: Live, spots: Spots, findings: Findings
) -> None:
    """
    Note where running workloads hold more than a queue may have by this config.

    What they hold is charged to *ledger*.
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
                spots.head(quota.origin) if quota is not None else spots.name(queue.origin, name),
                f"Queue {quoted(name)} holds {amount(used, shorten(resource))} {where} now, and "
                f"{f'may have {may}' if quota is not None else 'has no quota there any more'}: "
                "what runs goes on, and nothing more starts there until enough has ended.",
                "Raise the quota, or accept the wait.",
            )


def lint_removed(
    policy: Policy, before: Policy, live: Live, spots: Spots, findings: Findings
) -> None:
    """Note queues of *before* that are gone and hold work, or look as if they were renamed."""
    gone = [name for name in before.queues if name not in policy.queues]
    if not gone:
        return
    renamed = {old: new for new, old in find_renames(before, policy).old_names[Noun.QUEUE].items()}
    for name in gone:
        work = _work(name, live)
        if name in renamed:
            new = policy.queues[renamed[name]]
            findings.add(
                LOOKS_RENAMED,
                spots.name(new.origin, new.name),
                f"This looks like queue {quoted(name)} under a new name. Queue {quoted(new.name)} "
                f"begins empty{f', while {work} under the old name' if work else ''}.",
                f"Keep the name {quoted(name)} if nothing but the name was to change.",
            )
        elif work:
            findings.add(
                REMOVED_WITH_WORK,
                START,
                f"Queue {quoted(name)} is removed, and {work} there.",
                "Keep it until it is empty, or accept that what runs drains and what waits is "
                "routed again.",
            )


def _work(name: str, live: Live) -> str:
    """Return what runs and waits in a queue, with its verb; nothing when nothing does."""
    running, pending = live.running.get(name, 0), live.pending.get(name, 0)
    parts = [
        f"{count:,} {verb if count != 1 else verb + 's'}"
        for count, verb in ((running, "run"), (pending, "wait"))
        if count
    ]
    return " and ".join(parts)
