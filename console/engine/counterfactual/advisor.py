"""Advisors: the interface by which a discipline suggests config changes that start a workload."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.change import SettingValues
from console.engine.counterfactual.trials import Trials


class Advisor(Protocol):
    """Suggests changes of the settings of one discipline."""

    def changes(self, trials: Trials, setting_values: SettingValues | None) -> Iterable[Attempts]:
        """
        Return the searches for config changes that may start the workload of *trials*.

        *setting_values* has the settings of the config language; None: all settings.
        """


def changes_of_config(trials: Trials, setting_values: SettingValues | None) -> Iterable[Attempts]:
    """Return the searches of the policy's discipline; empty if it has no advisor."""
    module = f"console.engine.disciplines.{trials.policy.discipline}.advisor"
    if find_spec(module) is None:
        return ()
    advisor: Advisor = import_module(module).ADVISOR
    return advisor.changes(trials, setting_values)
