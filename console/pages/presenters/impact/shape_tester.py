"""From a recorded shape to the rule tester: the same workload on both configs of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from console.pages.tester_query import Asked, written


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeTester:
    """The page that tests, and the configs that an answer compares as that page names them."""

    path: str
    config: str
    #: Empty: there was no config before.
    beside: str

    def url(self, row: Mapping[str, Any]) -> str:
        """Return the address at which a stored shape is tested."""
        priority = row["requested_priority"]
        asked = Asked(
            config=self.config,
            beside=self.beside,
            labels=tuple(sorted(row["labels"].items())),
            namespace=row["namespace"],
            priority="" if priority is None else str(priority),
            requests=written(row["requests"]),
        )
        return self.path + asked.query()
