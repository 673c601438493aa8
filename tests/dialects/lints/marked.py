"""
Marked documents for lints: valid configs with expected lints, history and live state.

Lines that begin with ``#!`` form a YAML document: *history* (labels, requests in units, runs,
and so on), *live* (running, pending, and usage by flavor/resource), *clusters* (the labels of each
that reports), and *before*, the text of the active version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from console.dialects import dialects
from console.dialects.base import Dialect
from console.dialects.lints import Checked, Facts, lint
from console.engine.model.amounts import SCALE, FlavorResource
from console.engine.model.history import History, Live, Shape
from console.engine.model.inventory import Cluster, Inventory
from console.engine.model.workload import PodSet, Workload

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Marked:
    """A document, its dialect, and the facts for its lints."""

    name: str
    dialect: Dialect
    text: str
    facts: Facts

    def check(self, text: str | bytes | None = None) -> Checked:
        """Parse and lint the document, or *text* with the same facts."""
        reading = self.dialect.read(self.text if text is None else text, {})
        return lint(self.dialect, reading, self.facts)


def marked_documents() -> Iterator[Marked]:
    """Yield the marked documents of all dialects."""
    for name, dialect in dialects().items():
        for path in sorted((_FOLDER / name).glob("*.yaml")):
            text = path.read_text("utf-8")
            yield Marked(f"{name}-{path.stem}", dialect, text, _facts(dialect, text))


def _facts(dialect: Dialect, text: str) -> Facts:
    lines = [line[3:] for line in text.splitlines() if line.startswith("#! ")]
    told: dict[str, Any] = yaml.safe_load("\n".join(lines)) or {}
    live = told.get("live", {})
    usage: Mapping[str, Mapping[str, int]] = live.get("usage", {})
    before = dialect.read(told["before"], {}) if "before" in told else None
    assert before is None or before.policy is not None, before.errors
    return Facts(
        history=History(
            window_days=30,
            shapes=tuple(
                Shape(workload=_workload(index, each), runs=each["runs"], last_seen="2026-01-01")
                for index, each in enumerate(told.get("history", ()))
            ),
        ),
        live=Live(
            running=live.get("running", {}),
            pending=live.get("pending", {}),
            usage={queue: dict(map(_held, held.items())) for queue, held in usage.items()},
        ),
        inventory=_inventory(told["clusters"]) if "clusters" in told else None,
        before=before.policy if before is not None else None,
    )


def _inventory(clusters: Mapping[str, Mapping[str, str]]) -> Inventory:
    return Inventory(
        clusters={name: Cluster(name=name, labels=labels) for name, labels in clusters.items()}
    )


def _held(item: tuple[str, int]) -> tuple[FlavorResource, int]:
    flavor, _, resource = item[0].partition("/")
    return (flavor, resource), item[1] * SCALE


def _workload(index: int, told: Mapping[str, Any]) -> Workload:
    requests = {name: number * SCALE for name, number in told.get("requests", {}).items()}
    return Workload(
        id=f"shape-{index}",
        sequence=index,
        labels=told.get("labels", {}),
        namespace=told.get("namespace", ""),
        user=told.get("user", ""),
        priority=told.get("priority"),
        pod_sets=(
            PodSet(
                count=told.get("count", 1),
                min_count=told.get("min_count"),
                requests=requests,
                node_selector=told.get("node_selector", {}),
            ),
        ),
    )
