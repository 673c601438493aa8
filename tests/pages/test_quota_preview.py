"""The words of the preview of other numbers: outcomes, and the resources that limit the queue."""

from __future__ import annotations

import pytest

from console.configs.services.preview_impact import ImpactPreview
from console.engine.impact import Affected, Group, LiveImpact, LiveOutcome
from console.engine.impact.binding import ResourceBalance
from console.pages.presenters.queues.quota_preview import limits_sentence, outcome_lines


def balance(resource: str, used: int, entitled: int, demand: int) -> ResourceBalance:
    """Return a balance from whole units."""
    return ResourceBalance(
        resource=resource, used=used * 1000, entitled=entitled * 1000, demand=demand * 1000
    )


@pytest.mark.parametrize(
    ("balances", "changed", "sentence"),
    [
        ([], {"gpu"}, ""),
        ([balance("gpu", 4, 8, 2)], {"gpu"}, ""),
        ([balance("gpu", 8, 8, 2)], {"gpu"}, "GPU is full at 8 (2 more requested)."),
        (
            [balance("gpu", 64, 96, 16), balance("cpu", 512, 512, 128)],
            {"gpu"},
            "32 GPUs would stay idle: CPU is full at 512 (128 more requested).",
        ),
        # Only what is changed is said to be idle.
        (
            [balance("gpu", 64, 96, 16), balance("cpu", 512, 512, 128)],
            {"cpu"},
            "CPU is full at 512 (128 more requested).",
        ),
        (
            [balance("gpu", 4, 8, 1), balance("cpu", 30, 32, 12), balance("memory", 8, 8, 3)],
            {"gpu"},
            (
                "4 GPUs would stay idle: 2 of 32 CPUs are left (10 more requested) and memory is "
                "full at 8 (3 more requested)."
            ),
        ),
    ],
)
def test_the_sentence_names_what_limits_the_queue(
    balances: list[ResourceBalance], changed: set[str], sentence: str
) -> None:
    assert limits_sentence(balances, changed) == sentence


def test_outcomes_with_losses_come_first_and_name_the_first_workloads() -> None:
    def group(*ids: str, count: int) -> Group:
        return Group(count=count, first=tuple(Affected(workload=uid, queue="train") for uid in ids))

    preview = ImpactPreview(
        impact=LiveImpact(
            running=9,
            pending=9,
            groups={
                LiveOutcome.STARTS: group("a", "b", "c", "d", count=1200),
                LiveOutcome.STOPPED: group("e", "gone", count=2),
            },
        ),
        balances=(),
        names={"a": "one", "b": "two", "c": "three", "e": "five"},
    )
    assert [(each.title, each.count, each.first, each.more) for each in outcome_lines(preview)] == [
        ("Running workloads that would stop", 2, [("e", "five")], 1),
        (
            "Pending workloads that would start at once",
            1200,
            [("a", "one"), ("b", "two"), ("c", "three")],
            1197,
        ),
    ]
