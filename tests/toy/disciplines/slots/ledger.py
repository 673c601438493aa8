"""Usage accounts of lines: limit and used amount of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeAlias

from console.engine.disciplines.slots.spec import SLOTS, Line, slots_of
from console.engine.live.live_tree import QueueState
from console.engine.model.amounts import UNLIMITED, Amount, FlavorResource, Usage
from console.engine.model.policy import Policy


class LineAccount:
    """The usage account of one line; a line missing from the policy has no quota."""

    path: tuple[str, ...] = ()

    def __init__(self, name: str, line: Line | None) -> None:
        self.name = name
        self.line = line
        #: Without zeros.
        self.usage: dict[FlavorResource, int] = {}

    @property
    def root(self) -> LineAccount:
        """The line itself: each is a tree of its own."""
        return self

    def flavor_resources(self) -> Collection[FlavorResource]:
        """Return all flavor-resources that are limited or used."""
        limited = self.line.limit if self.line is not None else ()
        return dict.fromkeys((*((SLOTS, each) for each in limited), *self.usage))

    def guaranteed(self, key: FlavorResource) -> Amount:
        """Return the limit."""
        return 0 if self.line is None else self.line.limit.get(key[1], UNLIMITED)

    def limit(self, key: FlavorResource) -> Amount:
        """Return the limit: nothing is borrowed."""
        return self.guaranteed(key)

    def used(self, key: FlavorResource) -> int:
        """Return the used amount."""
        return self.usage.get(key, 0)

    def over(self, key: FlavorResource) -> int:
        """Return the usage beyond the limit, after the limit was lowered."""
        left = self.available(key)
        return max(0, -left) if isinstance(left, int) else 0

    def available(self, key: FlavorResource) -> Amount:
        """Return the limit minus usage; negative if usage exceeds the limit."""
        return self.guaranteed(key) - self.used(key)


class LineLedger:
    """The usage accounts of all lines of one policy."""

    def __init__(self, policy: Policy) -> None:
        self._lines = slots_of(policy).queues
        self._accounts: dict[str, LineAccount] = {}

    def queue(self, name: str) -> LineAccount:
        """Return the account of a line, even if it is missing from the policy."""
        if name not in self._accounts:
            self._accounts[name] = LineAccount(name, self._lines.get(name))
        return self._accounts[name]

    def queues_around(self, name: str) -> list[str]:
        """Return the line alone."""
        return [name]

    def add(self, queue: str, usage: Usage) -> None:
        """Add *usage* to a line."""
        account = self.queue(queue)
        for key, amount in usage.items():
            account.usage[key] = account.used(key) + amount
            if not account.usage[key]:
                del account.usage[key]

    def remove(self, queue: str, usage: Usage) -> None:
        """Subtract *usage* from a line."""
        self.add(queue, {key: -amount for key, amount in usage.items()})

    def copy(self, root: LineAccount) -> LineLedger:
        """Return an independent ledger with a copy of the account of *root*."""
        copy = LineLedger.__new__(LineLedger)
        copy._lines, copy._accounts = self._lines, {}
        copy.add(root.name, root.usage)
        return copy

    def adapt(self, before: Policy, after: Policy, queues: Collection[str]) -> None:
        """Apply the limits of *after* to the lines *queues*."""
        self._lines = slots_of(after).queues
        for name in queues:
            self.queue(name).line = self._lines.get(name)


#: A live queue with a line's account and settings.
LineState: TypeAlias = QueueState[LineAccount, Line]


def limit_of(queue: LineState) -> Mapping[str, int]:
    """Return the limit of a live line; empty if the policy no longer has the line."""
    return queue.policy.limit if queue.policy is not None else {}
