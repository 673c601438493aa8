"""The interface of the quota discipline towards the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.engine.disciplines import Progress
from console.engine.disciplines.quota.cycle import Cycle
from console.engine.disciplines.quota.feasibility import first_that_fits, skip_futile_cycles
from console.engine.disciplines.quota.ledger import Ledger, QuotaQueue
from console.engine.disciplines.quota.nominate import QuotaNomination, nominate
from console.engine.disciplines.quota.report import Report, report
from console.engine.live.live_tree import LiveTree
from console.engine.model.policy import Policy
from console.engine.pending.pending_class import Pending, ScanPosition

if TYPE_CHECKING:
    from console.engine.state import State


class QuotaDiscipline:
    """Admits as Kueue does; the folder's README lists the differences."""

    def ledger(self, policy: Policy) -> Ledger:
        """Return the ledger of nominal quota, borrowing and lending, with nothing charged."""
        return Ledger(policy)

    def cycle(self, state: State, tree: LiveTree, *, skipping: bool) -> Progress:
        """Give the head of every queue its turn; *skipping* passes over futile turns."""
        if skipping and not skip_futile_cycles(tree, state.policy.settings):
            return Progress.NOTHING
        return Cycle(state, tree, skipping=skipping).run()

    def last_look(self, state: State, tree: LiveTree) -> bool:
        """Give a turn to the first workload of each queue that fits, with no capacity reserved."""
        heads = {}
        for queue in tree.queues:
            state.going_on()
            if queue.barrier is None and not queue.pending.is_strict:
                head = first_that_fits(queue, state.policy.settings)
                if head is not None:
                    heads[queue.name] = head
        if not heads:
            return False
        return Cycle(state, tree, heads).run() is Progress.DECIDED

    def nominate(
        self,
        state: State,
        queue: QuotaQueue,
        pending: Pending,
        *,
        without: frozenset[str] = frozenset(),
    ) -> QuotaNomination:
        """
        Return what would happen to *pending* now, without changing anything.

        *without* are ids of running workloads that the ledger no longer counts.
        Where a walk over flavors stops early and fails, the next turn resumes behind it
        (spec 6.6): the first turn that succeeds is returned.
        """
        settings = state.policy.settings
        first = found = nominate(queue, pending, settings, without=without)
        seen: list[object] = []
        while not (found.fits or found.targets):
            tried = found.found.tried()
            if not found.found.stopped_early or tried in seen:
                return first
            seen.append(tried)
            scan = ScanPosition(tried, 0, 0)
            found = nominate(queue, pending, settings, scan=scan, without=without)
        return found

    def report(self, state: State, queue: QuotaQueue, pending: Pending) -> Report:
        """Return the nomination in full, for an explanation."""
        return report(queue, pending, state.policy.settings)


DISCIPLINE = QuotaDiscipline()
