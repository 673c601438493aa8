"""Response times of all pages and API paths over HTTP, in three worlds."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.measured import Measured
from tests.benchmarks.pages import MOST_MS, MOST_MS_WITH_CHANGES, Reader
from tests.worlds import OPENED, PASSWORD
from tests.worlds.addresses import Address, api_addresses, page_addresses
from tests.worlds.served import serving

#: Routes that search for changes that would start a workload, or that compile and compare two whole
#: configs: requested by one person at a time, and never by an open page.
WORK = frozenset(
    {
        *("pages:workload-changes", "api:explanation", "pages:config-review"),
        *("pages:config-compare", "pages:config-impact", "api:version-diff", "api:schema"),
    }
)


def run() -> Iterator[Measured]:
    """Measure every path of each world, and yield those that miss the bound and the slowest."""
    with tempfile.TemporaryDirectory() as folder:
        for name in OPENED:
            with serving(name, Path(folder)) as served:
                reader = Reader(served.product, (served.world.people["owner"], PASSWORD))
                for kind, addresses in (
                    ("pages", page_addresses(served.world)),
                    ("API", api_addresses(served.world)),
                ):
                    yield from _summary(f"{name}: {kind}", _measured(reader, addresses))


def _measured(reader: Reader, addresses: list[Address]) -> list[Measured]:
    return [
        reader.measured(
            address.url, address.url, MOST_MS_WITH_CHANGES if address.route in WORK else MOST_MS
        )
        for address in addresses
        if address.pattern not in _UNREADABLE
    ]


#: Routes that answer with an error: a link without invitation, and in the empty world the config,
#: which does not exist yet.
_UNREADABLE = frozenset({"join", "orgs/{org}/config"})


def _summary(what: str, measured: list[Measured]) -> Iterator[Measured]:
    yield from (each for each in measured if not each.ok)
    usual = [each for each in measured if each.at_most == MOST_MS]
    slowest = max(usual, key=lambda each: each.value)
    name = f"{what}, slowest of {len(measured)}: {slowest.name}"
    yield Measured(name=name, value=slowest.value, unit="ms", at_most=MOST_MS)
