"""The advisor of placement: changes of placements and labels, and jobs that would have to end."""

from __future__ import annotations

from collections.abc import Iterable

from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.change import SettingValues
from console.engine.counterfactual.trials import Trials
from console.engine.disciplines.placement.cluster_label_changes import cluster_label_changes
from console.engine.disciplines.placement.criterion_changes import (
    filter_changes,
    preference_changes,
)
from console.engine.disciplines.placement.ending_jobs import ending_jobs


class PlacementAdvisor:
    """Suggests weaker filters, fewer preferences, labels of clusters, and ends of jobs."""

    def changes(self, trials: Trials, setting_values: SettingValues | None) -> Iterable[Attempts]:
        """Return the searches; none while the queue admits nothing."""
        if trials.queue.barrier is not None:
            return ()
        return (
            filter_changes(trials),
            preference_changes(trials),
            cluster_label_changes(trials),
            ending_jobs(trials),
        )


ADVISOR = PlacementAdvisor()
