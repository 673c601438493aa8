"""Flavor assignment: which flavor of each resource group a workload would take, how well."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from console.engine.amounts import Amount
from console.engine.ledger import FlavorResource, Ledger, Node
from console.engine.policy import FlavorQuotas, Queue, ResourceGroup
from console.engine.trace import FailedExpression, FlavorTried, FlavorVerdict, GroupStep, QuotaCheck

#: From worst to best; a flavor is as good as its worst resource.
_RANK = {
    verdict: rank
    for rank, verdict in enumerate(
        (
            FlavorVerdict.EXCEEDS_MAX,
            FlavorVerdict.NO_CANDIDATES,
            FlavorVerdict.PREEMPT,
            FlavorVerdict.WAITS_FOR_PREEMPTED,
            FlavorVerdict.FITS,
        )
    )
}

#: (what is asked of one flavor-resource) -> whether stopping others could give it.
Oracle = Callable[[FlavorResource, int], bool]


@dataclass(frozen=True, slots=True)
class Books:
    """
    The two ledgers a workload has to fit.

    *now* holds what runs. *expected* is the ledger once every workload that was
    told to stop has stopped and every one that waits for them has started: room
    that is promised is not free, even while it is empty.
    """

    now: Ledger
    expected: Ledger

    def available(self, queue: str, key: FlavorResource) -> tuple[Amount, Amount]:
        """Return what is available now, and what is available when all promises are kept."""
        return self.now.queue(queue).available(key), self.expected.queue(queue).available(key)


@dataclass(frozen=True, slots=True)
class FlavorAssignment:
    """The flavors a workload would take, and the worst verdict among them."""

    groups: tuple[GroupStep, ...]
    verdict: FlavorVerdict
    #: Resource -> flavor, for every requested resource that a group covers.
    assignment: Mapping[str, str]
    usage: Mapping[FlavorResource, int]
    #: Flavor-resources of the chosen flavors that lack room.
    short: frozenset[FlavorResource]
    #: Every group has a flavor with enough free room, part of which is promised to others.
    fits_without_promises: bool


def assign_flavors(
    books: Books,
    queue: Queue,
    matches: tuple[tuple[FailedExpression | None, ...], ...],
    requests: Mapping[str, int],
    oracle: Oracle,
) -> FlavorAssignment:
    """
    Walk each resource group that covers a requested resource (Kueue's flavor assigner, spec 6.2).

    The first flavor that fits is taken. When none does, the best of the others
    stands, the earlier one among equals. *oracle* says of one flavor-resource
    alone whether preemption could make room.
    """
    steps: list[GroupStep] = []
    assignment: dict[str, str] = {}
    usage: dict[FlavorResource, int] = {}
    short: set[FlavorResource] = set()
    worst = FlavorVerdict.FITS
    free = True
    for group, failed in zip(queue.groups, matches, strict=True):
        asked = {r: requests[r] for r in group.resources if requests.get(r)}
        if not asked:
            continue
        step, best = _walk(books, queue.name, group, failed, asked, oracle)
        steps.append(step)
        assert best is not None, "routing rejects a workload that no flavor of a group accepts"
        if _RANK[best.verdict] < _RANK[worst]:
            worst = best.verdict
        free = free and any(_fits_without_promises(tried.checks) for tried in step.flavors)
        for check in best.checks:
            key = (best.flavor, check.resource)
            assignment[check.resource] = best.flavor
            usage[key] = check.requested
            if check.verdict is not FlavorVerdict.FITS:
                short.add(key)
    return FlavorAssignment(
        groups=tuple(steps),
        verdict=worst,
        assignment=assignment,
        usage=usage,
        short=frozenset(short),
        fits_without_promises=free,
    )


def wanted(
    queue: Queue,
    matches: tuple[tuple[FailedExpression | None, ...], ...],
    requests: Mapping[str, int],
) -> Iterable[FlavorResource]:
    """Yield every flavor-resource the workload could take: a change of any may help it."""
    for group, failed in zip(queue.groups, matches, strict=True):
        for entry, reason in zip(group.flavors, failed, strict=True):
            if reason is None:
                for resource in group.resources:
                    if requests.get(resource):
                        yield entry.flavor, resource


def _walk(
    books: Books,
    queue: str,
    group: ResourceGroup,
    failed: tuple[FailedExpression | None, ...],
    asked: Mapping[str, int],
    oracle: Oracle,
) -> tuple[GroupStep, FlavorTried | None]:
    tried: list[FlavorTried] = []
    best: FlavorTried | None = None
    for entry, expression in zip(group.flavors, failed, strict=True):
        if best is not None and best.verdict is FlavorVerdict.FITS:
            tried.append(_skipped(entry, FlavorVerdict.NOT_REACHED))
        elif expression is not None:
            tried.append(_skipped(entry, FlavorVerdict.SELECTOR_FALSE, expression))
        else:
            flavor = _check_flavor(books, queue, entry, asked, oracle)
            tried.append(flavor)
            if best is None or _RANK[flavor.verdict] > _RANK[best.verdict]:
                best = flavor
    step = GroupStep(
        resources=group.resources,
        flavors=tuple(tried),
        chosen=best.flavor if best is not None else None,
        origin=group.origin,
    )
    return step, best


def _skipped(
    entry: FlavorQuotas, verdict: FlavorVerdict, failed: FailedExpression | None = None
) -> FlavorTried:
    return FlavorTried(flavor=entry.flavor, verdict=verdict, failed=failed, origin=entry.origin)


def _check_flavor(
    books: Books, queue: str, entry: FlavorQuotas, asked: Mapping[str, int], oracle: Oracle
) -> FlavorTried:
    checks = tuple(
        _check_quota(books, queue, (entry.flavor, resource), amount, oracle)
        for resource, amount in asked.items()
    )
    verdict = min((check.verdict for check in checks), key=_RANK.__getitem__)
    return FlavorTried(flavor=entry.flavor, verdict=verdict, checks=checks, origin=entry.origin)


def _check_quota(
    books: Books, queue: str, key: FlavorResource, requested: int, oracle: Oracle
) -> QuotaCheck:
    node: Node = books.now.queue(queue)
    quota = node.quota(key)
    now, expected = books.available(queue, key)
    available = max(0, min(now, expected))
    maximum = node.potential(key)
    if requested > maximum:
        verdict = FlavorVerdict.EXCEEDS_MAX
    elif requested <= available:
        verdict = FlavorVerdict.FITS
    elif requested <= expected:
        verdict = FlavorVerdict.WAITS_FOR_PREEMPTED
    elif oracle(key, requested):
        verdict = FlavorVerdict.PREEMPT
    else:
        verdict = FlavorVerdict.NO_CANDIDATES
    fits = verdict is FlavorVerdict.FITS
    return QuotaCheck(
        resource=key[1],
        requested=requested,
        nominal=quota.nominal,
        used=node.usage.get(key, 0),
        promised=_finite(now) - _finite(available) if now > available else 0,
        available=available,
        maximum=maximum,
        missing=0 if fits else requested - _finite(available),
        verdict=verdict,
        origin=quota.origin,
    )


def _fits_without_promises(checks: tuple[QuotaCheck, ...]) -> bool:
    return bool(checks) and all(
        check.requested <= check.available + check.promised for check in checks
    )


def _finite(amount: Amount) -> int:
    assert isinstance(amount, int), "unlimited quota always fits and is never promised away"
    return amount
