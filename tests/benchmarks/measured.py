"""One measured number and the bound it has to meet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A number, its unit, and its lower or upper bound."""

    name: str
    value: float
    unit: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def ok(self) -> bool:
        """Whether the bound is met; a number without a bound is informational."""
        low = self.at_least is None or self.value >= self.at_least
        return low and (self.at_most is None or self.value <= self.at_most)

    def __str__(self) -> str:
        bound = ""
        if self.at_least is not None:
            bound = f"  (at least {self.at_least:,.0f})"
        if self.at_most is not None:
            bound = f"  (at most {self.at_most:,.1f})"
        mark = "ok  " if self.ok else "MISS"
        return f"{mark} {self.name:<52}{self.value:>12,.1f} {self.unit}{bound}"
