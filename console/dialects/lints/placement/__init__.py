"""Lints of placements, for every language whose policies use the placement discipline."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.lints.placement.criteria import lint_templates
from console.dialects.lints.placement.known_clusters import KnownClusters
from console.dialects.lints.placement.names import lint_names
from console.dialects.place_finder import PlaceFinder
from console.dialects.routed_history import RoutedHistory
from console.engine.disciplines.placement.spec import placement_of
from console.engine.model.history import Live
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy


class PlacementLints:
    """The lints of the clusters, templates and filter policies of one policy."""

    def __init__(self, policy: Policy) -> None:
        self._spec = placement_of(policy)

    def lint_policy(self, places: PlaceFinder, findings: Findings) -> None:
        """Report nothing: the dialect has checked what the text alone shows."""

    def lint_past(self, past: RoutedHistory, places: PlaceFinder, findings: Findings) -> None:
        """Report nothing: recorded workloads reach the only queue."""

    def lint_live(self, live: Live, places: PlaceFinder, findings: Findings) -> None:
        """Report nothing: no quota can be below its usage."""

    def lint_inventory(self, inventory: Inventory, places: PlaceFinder, findings: Findings) -> None:
        """Report names, labels and preferences that do not suit the clusters there are."""
        lint_names(self._spec, inventory, places, findings)
        known = KnownClusters(self._spec, inventory)
        if known.everyone:
            lint_templates(self._spec, known, places, findings)
