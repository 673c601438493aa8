"""The documentation lists every metric, and the dashboard uses existing metrics and labels."""

from __future__ import annotations

import json
import re
from pathlib import Path

from console.telemetry.families import COUNTERS, GAUGES, HISTOGRAMS, REFUSED, TAKEN, UNDER_WAY

ROOT = Path(__file__).resolve().parent.parent.parent

#: Exposed name -> labels, without those of histogram buckets.
EXPOSED = {
    **{f"sluice_{family.name}": family.labels for family in GAUGES.values()},
    **{f"sluice_{family.name}_total": family.labels for family in COUNTERS.values()},
    **{f"sluice_{family.name}": family.labels for family in HISTOGRAMS.values()},
    f"sluice_{UNDER_WAY.name}": UNDER_WAY.labels,
    **{f"sluice_{family.name}_total": family.labels for family in (TAKEN, REFUSED)},
}
_HISTOGRAMS = {f"sluice_{family.name}" for family in HISTOGRAMS.values()}


def test_every_metric_is_documented_with_its_labels() -> None:
    rows = re.findall(
        r"^\| `(sluice_\w+)` \| ([^|]+) \|", (ROOT / "docs/metrics.md").read_text(), re.MULTILINE
    )
    told: dict[str, tuple[str, ...]] = {}
    labels: tuple[str, ...] = ()
    for name, said in rows:
        labels = labels if said == "the same" else tuple(said.split(", "))
        told[name] = labels
    assert told == EXPOSED


def test_dashboard_uses_existing_metrics_and_labels() -> None:
    dashboard = json.loads((ROOT / "deploy/grafana/sluice.json").read_text())
    asked = [
        *(target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())),
        *(variable.get("definition", "") for variable in dashboard["templating"]["list"]),
        *(annotation["expr"] for annotation in dashboard["annotations"]["list"]),
    ]
    used = {name for text in asked for name in re.findall(r"sluice_\w+", text)}
    parts = {f"{name}_{part}" for name in _HISTOGRAMS for part in ("bucket", "count")}
    known = {*EXPOSED, *parts} - _HISTOGRAMS
    assert used <= known
    for text in asked:
        names = [re.sub("_(bucket|count)$", "", name) for name in re.findall(r"sluice_\w+", text)]
        matched = {label for match in re.findall(r"\{([^}]*)\}", text) for label in _labels(match)}
        assert all(matched <= {*EXPOSED[name], "le"} for name in names), text


def _labels(selector: str) -> list[str]:
    return re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector)


def test_panels_of_the_dashboard_do_not_overlap() -> None:
    dashboard = json.loads((ROOT / "deploy/grafana/sluice.json").read_text())
    taken: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert at["x"] + at["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells
    numbers = [panel["id"] for panel in dashboard["panels"]]
    assert len(numbers) == len(set(numbers))
