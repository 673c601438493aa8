"""Invariants after every crash: no lost workload, no repeated decision, consistent sums."""

from __future__ import annotations

import json
from itertools import pairwise

from tests.crash.load import PATIENCE, Load
from tests.product import Api, Product

#: Outcomes that may follow each outcome of a workload; None precedes the first.
FOLLOWS: dict[str | None, set[str]] = {
    None: {"pending", "admitted", "rejected"},
    "pending": {"pending", "admitted"},
    "admitted": {"preempted"},
    "preempted": {"pending", "admitted"},
    "rejected": set(),
}

_ROWS = "from tests.crash.rows import main; main({org!r}, {patience})"


def check_rows(product: Product, org: str = "main") -> None:
    """Wait until no worker has work left for *org*, and check that its rows are consistent."""
    code = _ROWS.format(org=org, patience=PATIENCE)
    told = product.manage("shell", "-c", code, patience=2 * PATIENCE)
    assert json.loads(told.splitlines()[-1]) == []


def check_feed(api: Api, load: Load) -> None:
    """Check that the executor, during crashes, read exactly the feed that the API serves now."""
    feed: list[tuple[int, str, str]] = []
    after = 0
    while rows := api.get(f"/decisions?after={after}&limit=1000")["results"]:
        feed += [(row["seq"], row["workload"]["id"], row["outcome"]) for row in rows]
        after = rows[-1]["seq"]
    assert load.feed == feed
    assert all(one[0] < next_one[0] for one, next_one in pairwise(feed))


def check_outcomes(load: Load) -> None:
    """Check, once all is executed, that each accepted workload has a valid series of outcomes."""
    told: dict[str, list[str]] = {}
    for _, uid, outcome in load.feed:
        told.setdefault(uid, []).append(outcome)
    for uid, outcomes in told.items():
        for before, outcome in zip([None, *outcomes], outcomes, strict=False):
            assert outcome in FOLLOWS[before], (uid, outcomes)
    assert told.keys() == load.accepted.keys()
    assert load.finished == {uid for uid, fits in load.accepted.items() if fits}
    assert load.rejected == {uid for uid, fits in load.accepted.items() if not fits}
