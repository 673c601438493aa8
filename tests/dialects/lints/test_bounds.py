"""Limits of lints, and what lints report when they looked at only a part."""

from __future__ import annotations

import pytest

from console.dialects import dialects, routed_history
from console.dialects.base import Dialect
from console.dialects.diagnostics import Severity
from console.dialects.lints import Checked, Facts, lint, shadows
from console.engine.model.history import History, Shape
from console.engine.model.workload import Workload

NATIVE = dialects()["native"]
RULES = """\
resource_queues: [{ name: q }]
scheduling_rules:
  - selector: [{ key: team, operator: in, values: [a] }]
    resource_queue: q
  - selector: [{ key: team, operator: in, values: [a] }]
    resource_queue: q
"""


def history(*teams: str, is_complete: bool = True) -> History:
    shapes = (
        Shape(
            workload=Workload(id=str(index), sequence=index, labels={"team": team}),
            runs=1,
            last_seen="2026-01-01",
        )
        for index, team in enumerate(teams)
    )
    return History(window_days=30, shapes=tuple(shapes), is_complete=is_complete)


def check(text: str, facts: Facts | None = None) -> Checked:
    return lint(NATIVE, NATIVE.read(text, {}), facts or Facts())


def lost(checked: Checked) -> str:
    (message,) = (each.message for each in checked.lints if each.code == "LNT001")
    return message.partition(":")[0]


@pytest.mark.parametrize("dialect", dialects().values(), ids=dialects())
def test_samples_have_no_lints_to_acknowledge(dialect: Dialect):
    for title, text in dialect.samples().items():
        checked = lint(dialect, dialect.read(text, {}))
        assert {each.severity for each in checked.findings} <= {Severity.INFO}, title


def test_incomplete_history_is_stated(monkeypatch: pytest.MonkeyPatch):
    teams = ("x", "y", "a")
    whole = "No rule matches 2 of the 3 workloads of the last 30 days"
    assert lost(check(RULES, Facts(history=history(*teams)))) == whole
    part = "of the 3 workloads of what was recorded last, in the last 30 days at most"
    cut = history(*teams, is_complete=False)
    assert lost(check(RULES, Facts(history=cut))) == f"No rule matches 2 {part}"
    monkeypatch.setattr(routed_history, "MOST_KINDS", 1)
    assert lost(check(RULES, Facts(history=history(*teams)))) == f"No rule matches 1 {part}"
    monkeypatch.setattr(routed_history, "MOST_KINDS", 10)
    monkeypatch.setattr(routed_history, "MOST_EVALUATED", -1)
    assert "LNT001" not in {
        each.code for each in check(RULES, Facts(history=history(*teams))).lints
    }


def test_shadow_lint_stops_at_its_limit(monkeypatch: pytest.MonkeyPatch):
    assert [each.code for each in check(RULES).lints] == ["LNT002"]
    monkeypatch.setattr(shadows, "_MOST_CUTS", -1)
    more = RULES + RULES.partition("scheduling_rules:\n")[2]
    assert "LNT002" not in {each.code for each in check(more).lints}


def test_short_history_has_no_lints_about_labels():
    few = check(RULES, Facts(history=history(*"b" * 19)))
    assert {each.code for each in few.lints} == {"LNT001", "LNT002"}
    enough = check(RULES, Facts(history=history(*"b" * 20)))
    assert {each.code for each in enough.lints} == {"LNT001", "LNT002", "LNT015"}
