"""
A slow and simple model of fair shares of one resource.

It follows the published rules step by step with plain dictionaries, and shares no code with the
discipline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A queue and one resource; -1 is unlimited."""

    parent: str | None
    priority: int
    created: int
    quota: float
    limit: float
    weight: float
    request: float
    usage: float

    @property
    def requestable(self) -> float:
        return self.request if self.limit == -1 else min(self.limit, self.request)


def fair_shares(total: float, claims: Mapping[str, Claim], k_value: float) -> dict[str, float]:
    """Return the fair share of every queue below the roots."""
    shares: dict[str, float] = {}
    waiting: list[tuple[str | None, float]] = [(None, total)]
    while waiting:
        parent, amount = waiting.pop()
        siblings = {name: each for name, each in claims.items() if each.parent == parent}
        found = _divide(amount, siblings, k_value)
        shares |= found
        waiting.extend(found.items())
    return shares


def _divide(total: float, siblings: Mapping[str, Claim], k_value: float) -> dict[str, float]:
    names = sorted(siblings, key=lambda name: (siblings[name].created, name))
    shares = {}
    for name in names:
        claim = siblings[name]
        shares[name] = min(total if claim.quota == -1 else claim.quota, claim.requestable)
    rest = total - sum(shares.values())
    if rest <= 0:
        return shares
    lost: dict[str, float] = {}
    priorities = sorted({each.priority for each in siblings.values()}, reverse=True)
    for priority in priorities:
        members = [name for name in names if siblings[name].priority == priority]
        while rest > 0:
            rest, again = _round(rest, members, siblings, shares, lost, k_value)
            if not again:
                break
    for priority in priorities:
        members = [name for name in lost if siblings[name].priority == priority]
        for name in sorted(members, key=lambda one: (-lost[one], siblings[one].created, one)):
            unit = min(1.0, max(0.0, rest))
            shares[name] += unit
            rest -= unit
    return shares


def _round(
    rest: float,
    members: Sequence[str],
    siblings: Mapping[str, Claim],
    shares: dict[str, float],
    lost: dict[str, float],
    k_value: float,
) -> tuple[float, bool]:
    hungry = [name for name in members if siblings[name].requestable > shares[name]]
    weight = sum(siblings[name].weight for name in hungry)
    if weight == 0:
        return rest, False
    parts = {}
    for name in hungry:
        normal = siblings[name].weight / weight
        parts[name] = max(0.0, normal + k_value * (normal - siblings[name].usage))
    whole = sum(parts.values())
    if whole == 0:
        return rest, False
    amount, again = rest, False
    for name in hungry:
        if siblings[name].weight == 0:
            continue
        given = amount * (parts[name] / whole)
        need = siblings[name].requestable - shares[name]
        if need <= given:
            again = again or need < given
            lost.pop(name, None)
            given = need
        else:
            if given > floor(given):
                lost[name] = given - floor(given)
            given = float(floor(given))
        shares[name] += given
        rest -= given
    return rest, again
