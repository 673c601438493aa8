"""What the stages of an explanation and its verdicts are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from console.engine.explain.sentences import Verdict

STAGE_TITLES: Final[Mapping[str, str]] = {
    "intake": "Intake",
    "route": "Rules",
    "priority": "Priority",
    "queue": "Queue",
    "flavors": "Flavors",
    "preemption": "Preemption",
    "order": "Order",
    "outcome": "Outcome",
}
VERDICT_TITLES: Final[Mapping[Verdict, str]] = {
    Verdict.PASS: "Passed:",
    Verdict.FAIL: "Not passed:",
    Verdict.INFO: "Noted:",
    Verdict.SKIP: "Not reached:",
}
