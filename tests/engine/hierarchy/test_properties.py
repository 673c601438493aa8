"""Properties of queues: inheritance, values, defaults."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.hierarchy.properties import (
    QueueSettings,
    SortPolicy,
    merged_properties,
    settings_of,
)

TEXT = st.text(max_size=12)


@pytest.mark.parametrize(
    ("name", "value", "inherited"),
    [
        ("application.sort.policy", "fair", "fair"),
        ("application.sort.priority", "disabled", "disabled"),
        ("priority.policy", "fence", "default"),
        ("priority.policy", "default", "default"),
        ("priority.offset", "5", "0"),
        ("priority.offset", "2147483648", "0"),
        ("preemption.policy", "fence", "default"),
        ("preemption.policy", "disabled", "disabled"),
        ("preemption.policy", "unknown", "default"),
        ("preemption.delay", "5s", "5s"),
        ("quota.preemption.delay", "10s", "10s"),
        ("application.unschedasks.backoff", "3", "3"),
        ("application.unschedasks.backoff.delay", "5s", "5s"),
        ("anything.else", "x", "x"),
    ],
)
def test_a_configured_queue_inherits(name: str, value: str, inherited: str) -> None:
    assert merged_properties({}, {name: value}) == {name: inherited}
    assert merged_properties({name: "own"}, {name: value}) == {name: "own"}


@pytest.mark.parametrize(
    ("properties", "settings"),
    [
        ({}, QueueSettings()),
        ({"application.sort.policy": "fifo"}, QueueSettings()),
        ({"application.sort.policy": "stateaware"}, QueueSettings()),
        ({"application.sort.policy": "fair"}, QueueSettings(sort=SortPolicy.FAIR)),
        ({"application.sort.policy": "FAIR"}, QueueSettings()),
        ({"application.sort.priority": "disabled"}, QueueSettings(sorts_by_priority=False)),
        ({"application.sort.priority": "enabled"}, QueueSettings()),
        ({"application.sort.priority": "no"}, QueueSettings()),
        ({"priority.policy": "fence"}, QueueSettings(is_priority_fence=True)),
        ({"priority.policy": "fences"}, QueueSettings()),
        ({"priority.offset": "-5"}, QueueSettings(priority_offset=-5)),
        ({"priority.offset": "+7"}, QueueSettings(priority_offset=7)),
        ({"priority.offset": "-2147483648"}, QueueSettings(priority_offset=-(2**31))),
        ({"priority.offset": "2147483648"}, QueueSettings()),
        ({"priority.offset": "1.5"}, QueueSettings()),
        ({"priority.offset": "\u0665"}, QueueSettings()),
        ({"preemption.policy": "fence"}, QueueSettings(is_preemption_fence=True)),
        ({"preemption.policy": "disabled"}, QueueSettings(preempts=False)),
        ({"preemption.delay": "1m"}, QueueSettings(preemption_delay=60_000)),
        ({"preemption.delay": "1ns"}, QueueSettings(preemption_delay=1)),
        ({"preemption.delay": "0s"}, QueueSettings()),
        ({"preemption.delay": "-5s"}, QueueSettings()),
        ({"preemption.delay": "60"}, QueueSettings()),
        ({"quota.preemption.delay": "10s"}, QueueSettings(quota_preemption_delay=10_000)),
        ({"quota.preemption.delay": "-1s"}, QueueSettings()),
        ({"application.unschedasks.backoff": "3"}, QueueSettings(backoff=3)),
        ({"application.unschedasks.backoff": "-3"}, QueueSettings()),
        ({"application.unschedasks.backoff": "+3"}, QueueSettings()),
        ({"application.unschedasks.backoff.delay": "5s"}, QueueSettings(backoff_delay=5_000)),
    ],
)
def test_a_leaf_has_the_settings_of_its_properties(
    properties: dict[str, str], settings: QueueSettings
) -> None:
    assert settings_of(properties, is_leaf=True) == settings


def test_a_queue_with_others_below_it_has_no_settings_of_leaves() -> None:
    properties = {
        "application.sort.policy": "fifo",
        "application.sort.priority": "disabled",
        "priority.policy": "fence",
        "priority.offset": "2",
        "preemption.policy": "fence",
        "preemption.delay": "5s",
        "quota.preemption.delay": "5s",
        "application.unschedasks.backoff": "3",
        "application.unschedasks.backoff.delay": "5s",
    }
    assert settings_of(properties, is_leaf=False) == QueueSettings(
        sort=SortPolicy.FAIR,
        sorts_by_priority=False,
        is_priority_fence=True,
        priority_offset=2,
        is_preemption_fence=True,
        quota_preemption_delay=5_000,
    )


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "application.sort.policy",
                "priority.offset",
                "preemption.delay",
                "quota.preemption.delay",
                "application.unschedasks.backoff",
            ]
        )
        | TEXT,
        TEXT | st.integers().map(str),
    ),
    st.booleans(),
)
def test_any_text_has_settings(properties: dict[str, str], is_leaf: bool) -> None:
    settings = settings_of(properties, is_leaf=is_leaf)
    assert settings.preemption_delay > 0
    assert settings.backoff_delay > 0
    assert settings.quota_preemption_delay >= 0
    assert settings.backoff >= 0
    assert -(2**31) <= settings.priority_offset < 2**31
