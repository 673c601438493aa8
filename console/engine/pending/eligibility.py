"""Eligibility of workloads for a queue, and the judge of a discipline that evaluates it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from console.engine.model.policy import Policy, Queue
from console.engine.model.reasons import Reason
from console.engine.model.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Eligibility:
    """The result of a discipline for workloads in a queue, without regard to quota."""

    #: Why the queue rejects them; None when it does not.
    rejection: Reason | None = None
    #: By pod set: the obstacles, in a form that only the discipline reads.
    obstacles: tuple[Any, ...] = ()
    #: Distinguishes their class from classes of workloads with the same request. Its `repr` is
    #: the same in every process.
    alike: tuple[object, ...] = ()


#: The eligibility of workloads that a queue accepts without obstacles.
ELIGIBLE: Final = Eligibility()


class Judge(Protocol):
    """Evaluates the eligibility of workloads under one policy."""

    def under(self, policy: Policy) -> Judge:
        """
        Return a judge under *policy* that shares the results known so far.

        *policy* must have the same queues and the same capacity.
        """

    def label_values(self, workload: Workload, queue: Queue) -> Hashable:
        """Return the label values of *workload* that affect its eligibility for *queue*."""

    def judge(self, workload: Workload, queue: Queue) -> Eligibility:
        """Return the eligibility of *workload* for *queue*."""

    def rejection(self, workload: Workload, queue: Queue) -> Reason | None:
        """Return why *queue* rejects *workload*, or None when it does not."""

    def obstacles(self, workload: Workload, queue: Queue) -> tuple[Any, ...]:
        """Return the obstacles to capacity of *queue*, by pod set."""

    def allowed(self, workload: Workload, queue: Queue) -> Hashable:
        """Return the part of the eligibility that depends on labels alone."""

    def accepted(self, workload: Workload, queue: Queue) -> tuple[str, ...]:
        """Return the names of the capacity of *queue* that accepts the labels of *workload*."""
