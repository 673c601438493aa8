"""Samples: the current use, demand and quotas of queues and cohorts, and the use of clusters."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from console.capacity.models import Cluster
from console.engine.disciplines import load_discipline
from console.engine.model.amounts import UNLIMITED, Amount, FlavorResource, Unlimited
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy
from console.orgs.models import Organization
from console.series.subjects import WHOLE_ORG, Subject
from console.series.totals import Cell, Level, Totals
from console.workloads.models import Engine, PendingClass, QueueCount, State
from console.workloads.queries.demand import Demand
from console.workloads.queries.node_usage import node_usage_of, usage_by_cluster
from console.workloads.queries.used import used_of

#: Nominal quota and limit of a flavor-resource.
Quota = tuple[Amount, Amount]


_NO_DEMAND = Demand()


@dataclass(frozen=True, slots=True)
class StoredState:
    """Rows of an organization, by queue."""

    #: Totals, including workloads without a queue.
    all_running: int
    all_pending: int
    used: Mapping[str, Mapping[FlavorResource, int]]
    running: Mapping[str, int]
    pending: Mapping[str, int]
    #: Requests of pending workloads.
    demand: Mapping[str, Demand]
    #: What the nodes of each cluster offer, and what pods use of them, by resource.
    offered: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    used_of_nodes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sample:
    """Use, demand and quotas of all subjects; subjects at zero are not in *totals*."""

    totals: dict[Subject, Totals] = field(default_factory=dict)
    quotas: dict[Subject, dict[FlavorResource, Quota]] = field(default_factory=dict)


def read_stored_state(org: Organization) -> StoredState:
    """Read use and demand from rows that grow only with the config and workload classes."""
    states = Engine.objects.values_list("counts", flat=True).get(pk=org.pk)
    running, pending = {}, {}
    counts = QueueCount.objects.filter(org=org).values_list("queue", "running", "pending")
    for queue, runs, waits in counts:
        running[queue], pending[queue] = runs, waits
    demand: defaultdict[str, Demand] = defaultdict(Demand)
    classes = PendingClass.objects.filter(org=org)
    for queue, *asked in classes.values_list("queue", "reason", "requests", "count"):
        demand[queue].add(*asked)
    return StoredState(
        all_running=states.get(State.ADMITTED, 0) + states.get(State.PREEMPTING, 0),
        all_pending=states.get(State.PENDING, 0),
        used=used_of(org),
        running=running,
        pending=pending,
        demand=demand,
        offered=dict(Cluster.objects.filter(org=org).values_list("name", "offered")),
        used_of_nodes=usage_by_cluster(node_usage_of(org)),
    )


def compute_sample(policy: Policy, state: StoredState) -> Sample:
    """Return the state under *policy*; the function reads neither clock nor database."""
    capacity = load_discipline(policy.discipline).capacity(policy, state.used)
    sample = Sample()
    busy = state.used.keys() | state.running.keys() | state.pending.keys()
    usages = {}
    for name in [*policy.queues, *sorted(busy - policy.queues.keys())]:
        asked = state.demand.get(name, _NO_DEMAND)
        usages[name] = capacity.queue_nodes(name, asked.wanted, asked.cannot_run)
        _add(sample, Subject.queue(name), usages[name], state, [name])
    for cohort in capacity.tree.names:
        below = capacity.tree.queues_below(cohort)
        pools = capacity.cohort_nodes(cohort, usages)
        _add(sample, Subject.cohort(cohort), pools, state, below)
    _add_everything(sample, policy, usages, state)
    for cluster in sorted(state.offered.keys() | state.used_of_nodes.keys()):
        _add_cluster(sample, cluster, state)
    return sample


def _add(
    sample: Sample,
    subject: Subject,
    usages: Iterable[CapacityNode],
    state: StoredState,
    queues: Iterable[str],
) -> None:
    cells, quotas, tightest = {}, {}, 0
    for usage in usages:
        quotas[usage.key] = (usage.guaranteed, usage.limit)
        if usage.used or usage.lent:
            cells[usage.key] = Cell(
                Level.of(usage.used),
                Level.of(usage.borrowed),
                Level.of(usage.over),
                Level.of(usage.lent),
            )
            tightest = max(tightest, _part(usage.used, usage.guaranteed))
    _put(sample, subject, _totals(state, list(queues), cells, tightest))
    if quotas:
        sample.quotas[subject] = quotas


def _add_cluster(sample: Sample, cluster: str, state: StoredState) -> None:
    """Add the use of the nodes of a cluster; use beyond what they offer is over quota."""
    offered = state.offered.get(cluster, {})
    used = state.used_of_nodes.get(cluster, {})
    cells = {
        (cluster, resource): Cell(
            used=Level.of(amount), over=Level.of(max(0, amount - offered.get(resource, 0)))
        )
        for resource, amount in used.items()
    }
    parts = (_part(amount, offered.get(resource, 0)) for resource, amount in used.items())
    subject = Subject.cluster(cluster)
    _put(sample, subject, Totals(minutes=1, cells=cells, tightest=max(parts, default=0)))
    if offered:
        sample.quotas[subject] = {
            (cluster, resource): (amount, UNLIMITED) for resource, amount in sorted(offered.items())
        }


def _add_everything(
    sample: Sample,
    policy: Policy,
    usages: Mapping[str, Iterable[CapacityNode]],
    state: StoredState,
) -> None:
    """Add the organization: total use, and the total quota of queues and cohorts."""
    discipline = load_discipline(policy.discipline)
    nodes = discipline.organization_nodes(policy, (u for each in usages.values() for u in each))
    cells = {node.key: Cell(used=Level.of(node.used)) for node in nodes if node.used}
    tightest = max((_part(node.used, node.guaranteed) for node in nodes), default=0)
    of_queues = _totals(state, list(usages), cells, tightest)
    totals = replace(
        of_queues,
        running=Level.of(state.all_running),
        pending=Level.of(state.all_pending),
    )
    _put(sample, WHOLE_ORG, totals)
    if nodes:
        sample.quotas[WHOLE_ORG] = {node.key: (node.guaranteed, node.limit) for node in nodes}


def _totals(
    state: StoredState, queues: list[str], cells: dict[FlavorResource, Cell], tightest: int
) -> Totals:
    wanted: Counter[str] = Counter()
    cannot_run: Counter[str] = Counter()
    for asked in (state.demand[name] for name in queues if name in state.demand):
        wanted.update(asked.wanted)
        cannot_run.update(asked.cannot_run)
    return Totals(
        minutes=1,
        running=Level.of(sum(state.running.get(name, 0) for name in queues)),
        pending=Level.of(sum(state.pending.get(name, 0) for name in queues)),
        cells=cells,
        demand=_levels(wanted),
        cannot_run_demand=_levels(cannot_run),
        tightest=tightest,
    )


def _levels(amounts: Mapping[str, int]) -> dict[str, Level]:
    return {resource: Level.of(amount) for resource, amount in amounts.items() if amount}


def _put(sample: Sample, subject: Subject, totals: Totals) -> None:
    if not totals.is_zero:
        sample.totals[subject] = totals


#: The ratio for use without quota, larger than any chart shows.
_MOST_TIGHT = 10_000


def _part(used: int, nominal: Amount) -> int:
    """Return *used* as a fraction of *nominal*, in thousandths; 0 for unlimited."""
    if isinstance(nominal, Unlimited) or not used:
        return 0
    return min(_MOST_TIGHT, used * 1000 // nominal) if nominal else _MOST_TIGHT
