"""Advisors: what a discipline can suggest to change in a config so that a workload starts."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.change import Menu
from console.engine.counterfactual.trials import Trials


class Advisor(Protocol):
    """Knows the settings of one discipline."""

    def changes(self, trials: Trials, menu: Menu | None) -> Iterable[Attempts]:
        """
        Return the changes of a config that may start the workload of *trials*.

        *menu* has the settings that the language of the config knows; None: all of them.
        """


def changes_of_config(trials: Trials, menu: Menu | None) -> Iterable[Attempts]:
    """Return what the advisor of the policy's discipline suggests; nothing if it has none."""
    module = f"console.engine.disciplines.{trials.policy.discipline}.advisor"
    if find_spec(module) is None:
        return ()
    advisor: Advisor = import_module(module).ADVISOR
    return advisor.changes(trials, menu)
