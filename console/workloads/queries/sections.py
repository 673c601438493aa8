"""The optional parts of the product that a config has."""

from __future__ import annotations

from typing import Final

from console.engine.disciplines import load_discipline
from console.engine.model.policy import Policy

#: The part about cohorts in which queues share capacity.
COHORTS: Final = "cohorts"

#: The part about limits for users and groups.
USERS: Final = "users"

#: The part about placement rules.
PLACEMENT_RULES: Final = "placement_rules"


def has_section(policy: Policy, key: str) -> bool:
    """Return whether the discipline of *policy* has the optional part *key* of the product."""
    return any(each.key == key for each in load_discipline(policy.discipline).sections())
