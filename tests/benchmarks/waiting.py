"""
A world of many pending workloads: 30 queues, two flavors, 4 request shapes, 2 priorities.

Few or many pending workloads form the same 240 classes, so only their number differs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product
from random import Random

from console.engine.disciplines.quota.spec import (
    Cohort,
    Flavor,
    FlavorQuotas,
    QueueSpec,
    Quota,
    QuotaSettings,
    ResourceGroup,
    Undeclared,
    quota_policy,
    spec_of,
)
from console.engine.model.amounts import UNLIMITED
from console.engine.model.decision import Decision, Outcome
from console.engine.model.policy import Policy
from console.engine.model.selectors import EVERYTHING
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.local_queues import LocalQueue, LocalQueueRouting
from console.engine.state import State

QUEUES = 30
PRIORITIES = 2
FLAVORS = ("reserved", "spot")
RESOURCES = ("gpu", "cpu")
#: Nominal quota of a queue in each flavor, in thousandths; about 17 of its workloads run at once.
NOMINAL = {"gpu": 32_000, "cpu": 320_000}
#: Requests of workloads, in thousandths.
SHAPES = tuple(
    {"gpu": gpu * 1000, "cpu": gpu * per_gpu * 1000} for gpu, per_gpu in product((2, 8), (4, 8))
)

POD_SETS = tuple((PodSet(requests=shape),) for shape in SHAPES)
LABELS = tuple(
    {LocalQueueRouting().queue_label: "main", "user": f"user-{number}"} for number in range(1_000)
)

#: Submissions between two settles, and decisions that are read at once.
_BATCH, _BUDGET = 50_000, 1_000

#: Preemptions of one workload before the world settles; more mean that it never does.
_OFTEN = 100


class PendingWorld:
    """A settled state with *pending* pending workloads, in which all quota is used."""

    def __init__(self, cohorts: int, pending: int) -> None:
        self.policy = _policy(cohorts)
        self.state = State(self.policy)
        self._random = Random(1)
        self._submitted = 0
        while (missing := pending - len(self.state.pending)) > 0:
            for _ in range(min(_BATCH, missing)):
                self.state.submit(self._workload())
            for _ in self._decisions():
                pass

    def rest(self) -> list[Decision]:
        """Settle until nothing changes, releasing preempted workloads at once."""
        return list(self._decisions())

    def waiting(self) -> dict[str, list[Workload]]:
        """Return the pending workloads of each queue, in admission order."""
        queues: dict[str, list[Workload]] = defaultdict(list)
        for pending in self.state.pending.values():
            workload = pending.workload
            queues[workload.namespace].append(workload)
        for workloads in queues.values():
            workloads.sort(key=place)
        return queues

    def check(self) -> None:
        """Check that queues are charged for running workloads, and no cohort exceeds its quota."""
        used: dict[str, dict[tuple[str, str], int]] = {name: {} for name in self.policy.queues}
        for running in self.state.running.values():
            assert running.queue is not None
            sums = used[running.queue]
            for key, amount in running.usage.items():
                sums[key] = sums.get(key, 0) + amount
        together: dict[tuple[str | None, tuple[str, str]], list[int]] = defaultdict(list)
        for name, queue in self.policy.queues.items():
            assert self.state.usage(name) == used[name], name
            for key, amount in used[name].items():
                together[queue.parent, key].append(amount)
        size = QUEUES // len(spec_of(self.policy).cohorts)
        for (cohort, (flavor, resource)), amounts in together.items():
            owned = NOMINAL[resource] * size
            assert sum(amounts) <= owned, (cohort, flavor, resource, sum(amounts), owned)

    def check_that_none_fits(self, waiting: dict[str, list[Workload]]) -> None:
        """Check that none of *waiting* fits into the free quota."""
        for queue, workloads in waiting.items():
            node = self.state.ledger.queue(queue)
            for asked in {tuple(each.total().items()) for each in workloads}:
                for flavor in FLAVORS:
                    fits = all(
                        amount <= node.available((flavor, resource)) for resource, amount in asked
                    )
                    assert not fits, (queue, flavor, asked)

    def _decisions(self) -> Iterator[Decision]:
        stopped: Counter[str] = Counter()
        while not self.state.is_settled:
            for decision in self.state.settle(_BUDGET):
                if decision.outcome is Outcome.PREEMPTED:
                    stopped[decision.workload] += 1
                    assert stopped[decision.workload] <= _OFTEN, stopped.most_common(4)
                    self.state.release(decision.workload)
                yield decision

    def _workload(self) -> Workload:
        """Return the next workload; equal values are shared, as when workers read rows."""
        self._submitted += 1
        number = self._submitted
        draw = self._random.randrange
        return Workload(
            id=f"{number:032x}",
            sequence=number,
            labels=LABELS[draw(len(LABELS))],
            namespace=f"team-{draw(QUEUES):03}",
            priority=draw(PRIORITIES) * 10,
            pod_sets=POD_SETS[draw(len(POD_SETS))],
        )


def place(workload: Workload) -> tuple[int, int]:
    """Return the sort key of a workload in its queue: priority first, then submission."""
    assert workload.priority is not None
    return -workload.priority, workload.sequence


def fits_wherever(one: Workload, other: Workload) -> bool:
    """Return whether *one* fits wherever *other* fits."""
    asked = other.total()
    return all(amount <= asked[resource] for resource, amount in one.total().items())


def _policy(cohorts: int) -> Policy:
    group = ResourceGroup(
        resources=RESOURCES,
        flavors=tuple(
            FlavorQuotas(
                flavor=flavor,
                quotas={
                    resource: Quota(nominal=amount, borrowing_limit=UNLIMITED)
                    for resource, amount in NOMINAL.items()
                },
            )
            for flavor in FLAVORS
        ),
    )
    names = {f"team-{number:03}": f"cohort-{number % cohorts}" for number in range(QUEUES)}
    return quota_policy(
        "kueue",
        flavors={flavor: Flavor(name=flavor) for flavor in FLAVORS},
        cohorts={name: Cohort(name=name) for name in names.values()},
        queues={
            name: QueueSpec(
                name=name,
                parent=cohort,
                groups=(group,),
                namespaces=EVERYTHING,
            )
            for name, cohort in names.items()
        },
        routing=LocalQueueRouting(
            local_queues={
                (name, "main"): LocalQueue(namespace=name, name="main", queue=name)
                for name in names
            }
        ),
        settings=QuotaSettings(undeclared=Undeclared.BLOCK),
    )
