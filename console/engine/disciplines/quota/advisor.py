"""The advisor of quota: changes of quotas and queue settings with which a workload would start."""

from __future__ import annotations

from collections.abc import Iterable

from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.change import SettingValues
from console.engine.counterfactual.trials import Trials
from console.engine.disciplines.quota.quota_changes import quota_changes
from console.engine.disciplines.quota.setting_changes import ALL_SETTINGS, setting_changes


class QuotaAdvisor:
    """Suggests changes of nominal quota, limits, preemption, order and fungibility."""

    def changes(self, trials: Trials, setting_values: SettingValues | None) -> Iterable[Attempts]:
        """Return the searches for quota and setting changes; only settings for a stopped queue."""
        settings = setting_changes(
            trials, ALL_SETTINGS if setting_values is None else setting_values
        )
        if trials.queue.barrier is not None:
            return (settings,)
        return quota_changes(trials), settings


ADVISOR = QuotaAdvisor()
