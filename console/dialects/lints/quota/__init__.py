"""Lints of quota, for every language whose policies use the quota discipline."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.lints.quota.closed_flavors import lint_closed_flavors
from console.dialects.lints.quota.flavors import lint_flavors
from console.dialects.lints.quota.lenders import lint_lenders
from console.dialects.lints.quota.quotas import lint_quotas
from console.dialects.lints.quota.requests import lint_requests
from console.dialects.lints.quota.usage import lint_usage
from console.dialects.place_finder import PlaceFinder
from console.dialects.routed_history import RoutedHistory
from console.engine.disciplines.quota.ledger import Ledger
from console.engine.model.history import Live
from console.engine.model.inventory import Inventory
from console.engine.model.policy import Policy


class QuotaLints:
    """The lints of the quotas, flavors and cohorts of one policy."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._ledger = Ledger(policy)

    def lint_policy(self, places: PlaceFinder, findings: Findings) -> None:
        """Report flavors never tried, missing or zero quotas, and lenders that cannot reclaim."""
        lint_closed_flavors(self._policy, places, findings)
        lint_flavors(self._policy, places, findings)
        lint_quotas(self._policy, self._ledger, places, findings)
        lint_lenders(self._policy, places, findings)

    def lint_past(self, past: RoutedHistory, places: PlaceFinder, findings: Findings) -> None:
        """Report recorded requests that never fit the queue they are routed to."""
        lint_requests(self._policy, self._ledger, past, places, findings)

    def lint_live(self, live: Live, places: PlaceFinder, findings: Findings) -> None:
        """Report usage beyond quota."""
        # A separate ledger, because the usage is charged to it.
        lint_usage(self._policy, Ledger(self._policy), live, places, findings)

    def lint_inventory(self, inventory: Inventory, places: PlaceFinder, findings: Findings) -> None:
        """Report nothing: quota does not depend on clusters."""
