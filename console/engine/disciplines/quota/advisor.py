"""The advisor of quota: other quotas and other settings of a queue, so that a workload starts."""

from __future__ import annotations

from collections.abc import Iterable

from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.change import Menu
from console.engine.counterfactual.trials import Trials
from console.engine.disciplines.quota.quota_changes import quota_changes
from console.engine.disciplines.quota.setting_changes import ALL_SETTINGS, setting_changes


class QuotaAdvisor:
    """Suggests changes of nominal quota, limits, preemption, order and fungibility."""

    def changes(self, trials: Trials, menu: Menu | None) -> Iterable[Attempts]:
        """Return raises of quota, and other settings; in a stopped queue the settings alone."""
        settings = setting_changes(trials, ALL_SETTINGS if menu is None else menu)
        if trials.queue.barrier is not None:
            return (settings,)
        return quota_changes(trials), settings


ADVISOR = QuotaAdvisor()
