"""The plugins that a config may list."""

from __future__ import annotations

from console.engine.disciplines.placement.spec import (
    AFFINITY_PLUGIN,
    DEFAULT_PLUGIN,
    FILTER_POLICY_PLUGIN,
)


def known_plugins() -> frozenset[str]:
    """Return the names of all plugins."""
    return frozenset((DEFAULT_PLUGIN, AFFINITY_PLUGIN, FILTER_POLICY_PLUGIN))
