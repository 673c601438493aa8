"""
Excess: usage, present or possible, beyond the quota of a new policy.

A change of policy stops no running workload. Until enough workloads have ended, usage exceeds the
new policy in three cases: a queue uses more than its nominal quota, a queue or a cohort uses more
than it may borrow, or a queue drains under its old name in addition to the queue that replaces it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from console.engine.disciplines.quota.ledger import Cell, Ledger, Node
from console.engine.disciplines.quota.spec import spec_of
from console.engine.model.amounts import UNLIMITED, Amount, FlavorResource
from console.engine.model.consequences import Excess, Limit
from console.engine.model.history import Live
from console.engine.model.policy import Policy


def over_quota(old: Policy | None, new: Policy, live: Live) -> tuple[Excess, ...]:
    """
    Return the usage beyond the quota of *new*, for quota that was larger under *old*.

    A cohort is listed if its excess is larger than that of its listed queues together.
    """
    own = tuple(_over_nominal(old, new, live))
    return (*own, *_over_limits(old, new, live, own))


def _over_nominal(old: Policy | None, new: Policy, live: Live) -> Iterator[Excess]:
    for name, usage in live.usage.items():
        for key, used in sorted(usage.items()) if name in spec_of(new).queues else ():
            nominal = nominal_of(new, name, key)
            # A queue that borrowed before and has the same nominal quota keeps borrowing.
            before = UNLIMITED if old is None else nominal_of(old, name, key)
            if isinstance(nominal, int) and nominal < used and before > nominal:
                yield _excess(Limit.NOMINAL, name, key, used, nominal, (name,))


def _over_limits(
    old: Policy | None, new: Policy, live: Live, known: tuple[Excess, ...]
) -> Iterator[Excess]:
    before, after = None if old is None else Ledger(old), Ledger(new)
    for name, usage in live.usage.items():
        if name in spec_of(new).queues:
            after.add(name, usage)
    #: The excess of the queues and cohorts listed so far, at and below a node.
    over = {(after.queue(each.name), each.key): each.over for each in known}
    for node in _nodes(new, live, after):
        was = None if old is None or before is None else _same_node(node, old, before)
        for key, used in sorted(node.usage.items()):
            told = sum(over.get((child, key), 0) for child in node.children)
            over[node, key] = told = max(told, over.get((node, key), 0))
            quota = _most(node.cell(key))
            if (
                isinstance(quota, int)
                and used - quota > told
                and (was is None or _most(was.cell(key)) > quota)
            ):
                over[node, key] = used - quota
                limit = Limit.COHORT if node.children else Limit.BORROWING
                yield _excess(limit, node.name, key, used, quota, tuple(_users(node, key)))


def _same_node(node: Node, policy: Policy, ledger: Ledger) -> Node | None:
    """Return the queue or cohort with the name of *node*; None if *policy* has none."""
    if not node.children:
        return ledger.queue(node.name) if node.name in spec_of(policy).queues else None
    return ledger.cohort(node.name) if node.name in spec_of(policy).cohorts else None


def _nodes(policy: Policy, live: Live, ledger: Ledger) -> list[Node]:
    """Return the queues and cohorts of all trees with usage, children before parents."""
    roots: dict[Node, None] = {}
    for name in live.usage:
        queue = spec_of(policy).queues.get(name)
        if queue is not None and queue.parent is not None:
            roots[ledger.queue(name).root] = None
    order = list(roots)
    for node in order:
        order.extend(node.children)
    return order[::-1]


def _most(cell: Cell) -> Amount:
    """Return the most of a flavor-resource that a node may use, if its cohorts have enough."""
    if cell.parent is None:
        return cell.subtree
    return UNLIMITED if cell.bound is None else cell.local + cell.bound


def _users(node: Node, key: FlavorResource) -> list[str]:
    """Return the queues at and below *node* that use some of *key*."""
    order = [node]
    for each in order:
        order.extend(each.children)
    return [each.name for each in order if not each.children and each.cell(key).used]


def _excess(
    limit: Limit, name: str, key: FlavorResource, used: int, quota: int, holders: tuple[str, ...]
) -> Excess:
    return Excess(
        name=name,
        flavor=key[0],
        resource=key[1],
        used=used,
        quota=quota,
        peak=used,
        holders=holders,
        limit=limit,
    )


def beside_draining(
    successors: Mapping[str, str],
    old: Policy,
    new: Policy,
    live: Live,
    heirs: Mapping[str, str],
) -> tuple[Excess, ...]:
    """
    Return the excess of queues of *new* together with the draining queues that they replace.

    *successors* are the removed queues of *old* with their replacements. *heirs* are queues that
    drain already, each with its replacement under *old*: they keep draining.
    """
    drained: dict[str, list[str]] = {}
    for name, successor in successors.items():
        before = [each for each, heir in heirs.items() if heir == name and each != successor]
        drained.setdefault(successor, []).extend([*before, name])
    return tuple(
        excess
        for successor, names in drained.items()
        for excess in _together(successor, names, old, new, live)
    )


def _together(
    successor: str, drained: list[str], old: Policy, new: Policy, live: Live
) -> Iterable[Excess]:
    is_comparable = old.discipline == new.discipline
    held: dict[FlavorResource, int] = {}
    for name in drained:
        for key, used in live.usage.get(name, {}).items():
            held[key] = held.get(key, 0) + used
    for key, used in sorted(held.items()):
        nominal = nominal_of(new, successor, key)
        if used and isinstance(nominal, int):
            own = live.usage.get(successor, {}).get(key, 0)
            before = nominal_of(old, drained[-1], key) if is_comparable else UNLIMITED
            yield replace(
                _excess(Limit.NOMINAL, successor, key, used, nominal, tuple(drained)),
                peak=used + max(nominal, own),
                drained=tuple(drained),
                is_lowered=used + own > nominal and before > nominal,
            )


def nominal_of(policy: Policy, queue: str, key: FlavorResource) -> Amount:
    """Return the nominal quota of *queue* for a flavor-resource; unlimited if it has none."""
    owner = spec_of(policy).queues.get(queue)
    for group in owner.groups if owner else ():
        for quotas in group.flavors:
            if quotas.flavor == key[0] and key[1] in quotas.quotas:
                return quotas.quotas[key[1]].nominal
    return UNLIMITED
