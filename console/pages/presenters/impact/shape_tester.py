"""Links from recorded shapes to the rule tester, with both configs of an impact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from console.pages.tester_query import TesterQuery, format_requests


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeTester:
    """The path of the rule tester, and the names of the two configs to compare there."""

    path: str
    config: str
    #: Empty if there was no config before.
    beside: str

    def url(self, row: Mapping[str, Any]) -> str:
        """Return the URL of the rule tester for a stored shape."""
        priority = row["requested_priority"]
        query = TesterQuery(
            config=self.config,
            beside=self.beside,
            labels=tuple(sorted(row["labels"].items())),
            namespace=row["namespace"],
            # Results of earlier releases have no users.
            user=row.get("user", ""),
            groups=", ".join(row.get("groups", ())),
            priority="" if priority is None else str(priority),
            requests=format_requests(row["requests"]),
        )
        return self.path + query.to_query_string()
