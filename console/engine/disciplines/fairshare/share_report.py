"""The share report of the discipline: fair shares, their parts, and the order among siblings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cmp_to_key
from typing import Final

from console.engine.disciplines.fairshare.explain import RULES
from console.engine.disciplines.fairshare.fair_share import FairShares, FairShareTree
from console.engine.disciplines.fairshare.ledger import KEYS, counted
from console.engine.disciplines.fairshare.queue_order import Comparison, Contender, compare
from console.engine.disciplines.fairshare.requests import need_of, offered_amounts
from console.engine.disciplines.fairshare.resources import (
    NOTHING,
    RESOURCES,
    Amounts,
    PerResource,
    minus,
    plus,
    times,
)
from console.engine.disciplines.fairshare.spec import DECLARED_CLUSTER, FairshareSpec
from console.engine.disciplines.fairshare.standing import Standing, allocatable
from console.engine.disciplines.fairshare.usage_window import current_usage
from console.engine.disciplines.fairshare.workload_order import is_preemptible
from console.engine.disciplines.read_model import Requests
from console.engine.disciplines.share_report import (
    NumberChange,
    QueueShares,
    Reclaimable,
    ShareFacts,
    ShareLine,
    ShareNumber,
    ShareReport,
)
from console.engine.model.amounts import SCALE, Amount, Unlimited, Usage
from console.engine.model.inventory import Cluster, Inventory

#: The most queues from which one may reclaim that are listed, those with the most first.
_MOST_LISTED: Final = 10


def share_report(
    spec: FairshareSpec,
    facts: ShareFacts,
    change: NumberChange | None = None,
    *,
    reclaiming: str | None = None,
) -> ShareReport:
    """
    Return the shares of all queues, with one number changed if requested.

    Only for the queue *reclaiming*, it has what the queue may reclaim. Raises KeyError if the
    changed queue or resource does not exist.
    """
    if change is not None:
        spec = with_change(spec, change)
    tree = spec.tree
    total = total_of(spec, facts.inventory)
    own_used = {name: _used(usage) for name, usage in facts.used.items()}
    pending = {name: _amounts(requests) for name, requests in facts.requested.items()}
    used = _below(spec, own_used)
    firm = _below(spec, _firm(facts, own_used))
    requested = {
        name: plus(used.get(name, NOTHING), asked)
        for name, asked in ({**dict.fromkeys(used, NOTHING), **_below(spec, pending)}).items()
    }
    shares = FairShareTree(tree).compute(
        total,
        requested,
        k_value=spec.settings.k_value,
        usage=current_usage(spec, facts.history, facts.now),
    )
    standings = {
        name: Standing(
            name=name,
            priority=tree.queues[name].priority,
            created=tree.queues[name].created,
            quota=tree.queues[name].quota,
            limit=tree.queues[name].limit,
            fair_share=shares.shares[name],
            used=used.get(name, NOTHING),
            used_non_preemptible=firm.get(name, NOTHING),
        )
        for name in tree.members
    }
    firsts = {name: _amounts(requests) for name, requests in facts.first.items()}
    report = _Report(spec, shares, standings, requested, total, firsts, reclaiming)
    return ShareReport(
        total=_named(total),
        remaining=_named(shares.remaining),
        queues=tuple(report.queues(tree.roots)),
    )


def total_of(spec: FairshareSpec, inventory: Inventory) -> Amounts:
    """
    Return what ready nodes of the pool offer together.

    These are the nodes of clusters, or else those of the config.
    """
    clusters = inventory.clusters or {
        DECLARED_CLUSTER: Cluster(name=DECLARED_CLUSTER, nodes=tuple(spec.nodes.values()))
    }
    total = NOTHING
    for cluster in clusters.values():
        if cluster.is_ready and not cluster.has_failed:
            for node in cluster.nodes:
                if node.is_ready and spec.includes(node):
                    total = plus(total, offered_amounts(node.offered))
    return total


def with_change(spec: FairshareSpec, change: NumberChange) -> FairshareSpec:
    """Return *spec* with another value of one number; raises KeyError if there is no such one."""
    queue = spec.queues[change.queue]
    if change.number is ShareNumber.PRIORITY:
        changed = replace(queue, priority=_whole(change.value))
    else:
        if change.resource not in RESOURCES:
            raise KeyError(change.resource)
        place = RESOURCES.index(change.resource)

        def put(values: Sequence[Amount], value: Amount) -> PerResource[Amount]:
            return PerResource(*(value if at == place else v for at, v in enumerate(values)))

        if change.number is ShareNumber.WEIGHT:
            weights = list(queue.weight)
            weights[place] = 0.0 if isinstance(change.value, Unlimited) else change.value / SCALE
            changed = replace(queue, weight=PerResource(*weights))
        elif change.number is ShareNumber.QUOTA:
            changed = replace(queue, quota=put(queue.quota, change.value))
        else:
            changed = replace(queue, limit=put(queue.limit, change.value))
    return replace(spec, queues={**spec.queues, change.queue: changed})


class _Report:
    """Writes the report of one computation."""

    def __init__(
        self,
        spec: FairshareSpec,
        shares: FairShares,
        standings: Mapping[str, Standing],
        requested: Mapping[str, Amounts],
        total: Amounts,
        firsts: Mapping[str, Amounts],
        reclaiming: str | None,
    ) -> None:
        self._spec, self._shares, self._standings = spec, shares, standings
        self._requested, self._total, self._reclaiming = requested, total, reclaiming
        #: Every queue with the request of the first workload below it, if there is one.
        self._contenders: dict[str, Contender] = {}
        for name in reversed(spec.tree.members):
            request = firsts.get(name, NOTHING)
            for child in self._in_order(spec.tree.children(name)):
                request = self._contenders[child].request
                if request != NOTHING:
                    break
            self._contenders[name] = Contender(standing=standings[name], request=request)

    def queues(self, siblings: Sequence[str], depth: int = 0) -> Iterator[QueueShares]:
        """Yield *siblings* in the order of the text, each one followed by those below it."""
        ordered = self._in_order(siblings)
        places = {name: place for place, name in enumerate(ordered)}
        for name in siblings:
            place = places[name]
            yield self._queue(name, depth, place, ordered)
            yield from self.queues(self._spec.tree.children(name), depth + 1)

    def _queue(self, name: str, depth: int, place: int, ordered: Sequence[str]) -> QueueShares:
        standing, queue = self._standings[name], self._spec.tree.queues[name]
        before = ordered[place - 1] if place else ""
        share, resource = self._dominant(standing)
        children = self._spec.tree.children(name)
        return QueueShares(
            name=name,
            parent=queue.parent,
            depth=depth,
            has_children=bool(children),
            is_declared=name in self._spec.queues,
            priority=queue.priority,
            lines=tuple(self._lines(name)),
            dominant_share=share,
            dominant_resource=resource,
            place=place + 1,
            siblings=len(ordered),
            behind=RULES[self._compare(before, name).rule] if before else "",
            behind_queue=before,
            reclaimable=tuple(self._reclaimable(name)) if name == self._reclaiming else (),
        )

    def _lines(self, name: str) -> Iterator[ShareLine]:
        standing, queue = self._standings[name], self._spec.tree.queues[name]
        parts = self._shares.composition(name)
        for place, resource in enumerate(RESOURCES):
            yield ShareLine(
                resource=resource,
                quota=queue.quota[place],
                limit=queue.limit[place],
                weight=round(queue.weight[place] * SCALE),
                requested=self._requested.get(name, NOTHING)[place],
                used=standing.used[place],
                non_preemptible=standing.used_non_preemptible[place],
                fair_share=self._shares.shares[name][place],
                guaranteed=parts.guaranteed[place],
                surplus=parts.surplus[place],
                rounding=parts.rounding[place],
            )

    def _dominant(self, standing: Standing) -> tuple[int, str]:
        """Return the dominant share in thousandths, and its resource."""
        best = 0, RESOURCES[0]
        for place, resource in enumerate(RESOURCES):
            bound = standing.allocatable[place]
            most = self._total[place] if isinstance(bound, Unlimited) else bound
            used = standing.used[place]
            part = round(used * SCALE / most) if most else used * SCALE
            if part > best[0]:
                best = part, resource
        return best

    def _in_order(self, siblings: Sequence[str]) -> list[str]:
        queues = self._spec.tree.queues
        by_age = sorted(siblings, key=lambda each: (queues[each].created, each))

        def order(one: str, other: str) -> int:
            return -1 if self._compare(one, other).is_left_first else 1

        return sorted(by_age, key=cmp_to_key(order))

    def _compare(self, one: str, other: str) -> Comparison:
        return compare(self._contenders[one], self._contenders[other], self._total)

    def _reclaimable(self, name: str) -> Iterator[Reclaimable]:
        """Yield what workloads of *name* may reclaim, the largest part of a resource first."""
        room = minus(self._shares.shares[name], self._standings[name].used)
        if any(each < 0 for each in room) or room == NOTHING:
            # A queue above its fair share of one resource may reclaim none.
            return
        found = []
        for other in self._spec.tree.members:
            branches = self._spec.tree.branches(name, other)
            if self._spec.tree.children(other) or branches is None:
                continue
            mine, theirs = (self._standings[each] for each in branches)
            preemptible = minus(
                self._standings[other].used, self._standings[other].used_non_preemptible
            )
            for place, resource in enumerate(RESOURCES):
                amount = min(room[place], preemptible[place], _excess(mine, theirs, place))
                if amount > 0:
                    found.append(Reclaimable(queue=other, resource=resource, amount=amount))
        found.sort(key=lambda each: -each.amount)
        yield from found[:_MOST_LISTED]


def _excess(mine: Standing, theirs: Standing, place: int) -> int:
    """Return how much a sibling uses above what it is entitled to, as seen by another one."""
    above = _above(
        theirs.used[place],
        allocatable(theirs.quota[place], theirs.limit[place], theirs.fair_share[place]),
    )
    # A queue within its quota may take whatever exceeds the quota of the other one.
    quota = mine.quota[place]
    left = theirs.used[place] if isinstance(quota, Unlimited) else quota - mine.used[place]
    return max(above, min(_above(theirs.used[place], theirs.quota[place]), max(0, left)))


def _above(used: int, bound: Amount) -> int:
    return 0 if isinstance(bound, Unlimited) else max(0, used - bound)


def _firm(facts: ShareFacts, used: Mapping[str, Amounts]) -> dict[str, Amounts]:
    """Return the usage that cannot be preempted, by queue: at most what is used."""
    firm: dict[str, Amounts] = {}
    for kind in facts.running:
        if not is_preemptible(kind.priority, kind.is_preemptible):
            amounts = times(_used(kind.usage), kind.count)
            firm[kind.queue] = plus(firm.get(kind.queue, NOTHING), amounts)
    return {
        name: PerResource(*map(min, amounts, used.get(name, NOTHING)))
        for name, amounts in firm.items()
    }


def _below(spec: FairshareSpec, amounts: Mapping[str, Amounts]) -> dict[str, Amounts]:
    """Return the amounts of queues together with those of the queues below them."""
    sums: dict[str, Amounts] = {}
    for queue, some in amounts.items():
        if queue in spec.tree.members:
            for name in spec.tree.path(queue):
                sums[name] = plus(sums.get(name, NOTHING), some)
    return sums


def _used(usage: Usage) -> Amounts:
    sums = dict.fromkeys(KEYS, 0)
    for key, amount in usage.items():
        if counted(key) in sums:
            sums[counted(key)] += amount
    return PerResource(*sums.values())


def _amounts(requests: Requests) -> Amounts:
    return need_of(requests).amounts(0) if requests else NOTHING


def _named(amounts: Amounts) -> dict[str, int]:
    return dict(zip(RESOURCES, amounts, strict=True))


def _whole(value: Amount) -> int:
    return 0 if isinstance(value, Unlimited) else value // SCALE
