"""Books: the ledger of a config with what queues use, read from the rows that count it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from console.engine.ledger import FlavorResource, Ledger, Usage
from console.engine.policy import Policy
from console.engine.running import Running
from console.orgs.models import Organization
from console.workloads.queries.used import counts_of_running, used_of

_NOTHING: Final[Usage] = {}


class Books:
    """A ledger with what queues use, and how many workloads run in them."""

    def __init__(self, org: Organization, policy: Policy, version: tuple[object, ...]) -> None:
        self.org = org.pk
        self.policy = policy
        self.ledger = Ledger(policy)
        #: The version of the engine under which the queues of `_current` were read.
        self.version = version
        #: By queue what is charged; a queue that uses nothing is absent.
        self.used: dict[str, Mapping[FlavorResource, int]] = {}
        #: By queue how many workloads run in it.
        self.running: dict[str, int] = {}
        self._current: set[str] = set()
        #: Whether rows were read for it since it was taken.
        self.was_read = False
        #: Whether the ledger holds what `used` says, and nothing else.
        self.is_exact = True

    def __len__(self) -> int:
        """Return how many queues were charged."""
        return len(self._current)

    def charge(self, org: Organization, names: Collection[str]) -> None:
        """Have the ledger hold what the queues *names* use now, and `running` count theirs."""
        missing = [name for name in names if name not in self._current]
        if not missing:
            return
        self.was_read = True
        used = used_of(org, missing)
        counts = dict(counts_of_running(org, missing))
        for name in missing:
            before, after = self.used.pop(name, _NOTHING), used.get(name, _NOTHING)
            if before != after:
                self.ledger.remove(name, before)
                self.ledger.add(name, after)
            if after:
                self.used[name] = after
            self.running[name] = counts.get(name, 0)
        self._current.update(missing)

    def make_room(self, name: str, adopted: Iterable[Running]) -> None:
        """
        Take back what of queue *name* is charged twice: *adopted* were charged one by one, too.

        When they hold more than the queue is said to use, as the worker has written meanwhile,
        what they hold counts, and the books are exact no more.
        """
        used, held = self.used.get(name, _NOTHING), dict[FlavorResource, int]()
        for each in adopted:
            for key, amount in each.usage.items():
                held[key] = held.get(key, 0) + amount
        twice = {key: min(amount, used.get(key, 0)) for key, amount in held.items()}
        self.ledger.remove(name, twice)
        self.is_exact = self.is_exact and twice == held

    def go_on(self, version: tuple[object, ...]) -> None:
        """Take all that was charged for out of date: the engine is at *version*."""
        self.version = version
        self._current.clear()
