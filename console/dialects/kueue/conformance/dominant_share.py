"""Dominant share cases: by how much every queue and cohort exceeds its own quota."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from console.dialects.conformance.differences import named, unknown_parts
from console.dialects.conformance.parts import part
from console.dialects.kueue.conformance.answers import Share, SharesAnswer
from console.dialects.kueue.conformance.engine_under_test import EngineUnderTest
from console.dialects.kueue.conformance.workloads import bounded_quantities
from console.dialects.kueue.conformance.world import World


def judge(case: Mapping[str, Any], world: World, engine: EngineUnderTest) -> Iterator[str]:
    """Compare the shares that *engine* returns for the world of *case*; yield the differences."""
    yield from differences(case, engine.shares(world, extra_usage_in(case)))


def extra_usage_in(case: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return the added amounts of each queried node, by flavor and resource, in thousandths."""
    usage = part(case, "extra_usage", dict, {})
    return {flavor: bounded_quantities(usage, flavor) for flavor in usage}


def differences(case: Mapping[str, Any], answer: SharesAnswer) -> Iterator[str]:
    """Yield a sentence for every node whose share differs."""
    expect = part(case, "expect", dict)
    yield from unknown_parts(expect, ("cluster_queues", "cohorts"))
    found = {"cluster_queues": answer.cluster_queues, "cohorts": answer.cohorts}
    for what, shares in found.items():
        wanted = part(expect, what, dict)
        yield from named(
            f"one of the {what}",
            {name: _phrase(_share(part(wanted, name, dict))) for name in wanted},
            {name: _phrase(share) for name, share in shares.items()},
        )


def _share(written: Mapping[str, Any]) -> Share:
    has_bound = written.get("share") is not None
    return Share(
        share=part(written, "share", int) if has_bound else None,
        resource=part(written, "resource", str, ""),
        is_borrowing=part(written, "borrowing", bool),
    )


def _phrase(share: Share) -> str:
    size = "without bound" if share.share is None else str(share.share)
    where = f" in {share.resource}" if share.resource else ""
    return f"share {size}{where}, {'borrowing' if share.is_borrowing else 'not borrowing'}"
