"""The face of the quota discipline towards the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.engine.disciplines import Progress
from console.engine.disciplines.quota.cycle import Cycle
from console.engine.disciplines.quota.nominate import QuotaNomination, nominate
from console.engine.disciplines.quota.outlook import first_that_fits, skip_hopeless_cycles
from console.engine.disciplines.quota.report import Report, report
from console.engine.pending import Pending, ScanPosition
from console.engine.tree import QueueState, Tree

if TYPE_CHECKING:
    from console.engine.state import State


class QuotaDiscipline:
    """Admits as Kueue does: see the folder's README for what differs."""

    def cycle(self, state: State, tree: Tree, *, skipping: bool) -> Progress:
        """Give the first of every queue its turn; *skipping* turns that come to nothing."""
        if skipping and not skip_hopeless_cycles(tree, state.policy.settings):
            return Progress.NOTHING
        return Cycle(state, tree, skipping=skipping).run()

    def last_look(self, state: State, tree: Tree) -> bool:
        """Give a turn to the first of each queue that fits, with nobody holding room back."""
        heads = {}
        for queue in tree.queues:
            state.going_on()
            if queue.barrier is None and not queue.line.is_strict:
                head = first_that_fits(queue, state.policy.settings)
                if head is not None:
                    heads[queue.name] = head
        if not heads:
            return False
        return Cycle(state, tree, heads).run() is Progress.DECIDED

    def nominate(
        self,
        state: State,
        queue: QueueState,
        pending: Pending,
        *,
        without: frozenset[str] = frozenset(),
    ) -> QuotaNomination:
        """
        Return what would happen to *pending* now, without changing anything.

        *without* are ids of running workloads that the ledger does not count any more.
        Where a walk over flavors stops early and nothing comes of it, the next turn goes
        on behind it (spec 6.6): what counts is the first turn of which something comes.
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

    def report(self, state: State, queue: QueueState, pending: Pending) -> Report:
        """Return the same in full, for those who ask why."""
        return report(queue, pending, state.policy.settings)
