"""Applies without an expected version: concurrent ones are serialized, each on top of the last."""

from __future__ import annotations

from typing import Any

import pytest

from console.configs.errors import ConfigRejected
from console.configs.models import ConfigVersion
from console.configs.services import apply_on_top as module
from console.configs.services.apply_config import apply_config
from console.configs.services.apply_on_top import apply_on_top, roll_back_on_top
from console.errors import Conflict, NotAllowed
from console.orgs.permissions import Actor
from console.policies.queries import active_number
from console.workloads.models import Event

TEXT = "resource_queues: [{name: default}]\nscheduling_rules: [{resource_queue: default}]\n"


@pytest.fixture
def overtake(owner: Actor, monkeypatch: Any) -> Any:
    """Return a function that makes *times* other applies happen just before the next apply."""

    def begin(times: int) -> None:
        left = [times]

        def late(org: Any) -> int:
            seen = active_number(org)
            if left[0]:
                left[0] -= 1
                apply_config(owner, "native", f"# {seen}\n", "first", seen)
            return seen

        monkeypatch.setattr(module, "active_number", late)

    return begin


def test_the_loser_of_a_race_is_applied_on_top_of_the_winner(owner: Actor, overtake: Any) -> None:
    overtake(3)
    version = apply_on_top(owner, "native", TEXT)
    assert (version.number, version.via) == (4, ConfigVersion.Via.CLIENT)
    told = Event.objects.latest("pk").data
    assert (told["from"], told["via"]) == (3, "client")


def test_a_losing_rollback_is_applied_on_top_of_the_winner(owner: Actor, overtake: Any) -> None:
    apply_on_top(owner, "native", TEXT)
    apply_on_top(owner, "native", "")
    overtake(1)
    version = roll_back_on_top(owner, 1)
    assert (version.number, version.rolled_back_to, version.text) == (4, 1, TEXT)


def test_losing_repeatedly_is_a_conflict(owner: Actor, overtake: Any) -> None:
    overtake(100)
    with pytest.raises(Conflict) as raised:
        apply_on_top(owner, "native", TEXT)
    assert raised.value.message == (
        "Another config was applied to this organization at the same time; nothing was "
        "applied. Try again."
    )
    assert not ConfigVersion.objects.filter(via=ConfigVersion.Via.CLIENT).exists()


def test_a_refused_apply_is_not_retried(owner: Actor, editor: Actor) -> None:
    with pytest.raises(ConfigRejected):
        apply_on_top(owner, "native", "scheduling_rules: [{resource_queue: x}]")
    with pytest.raises(NotAllowed):
        apply_on_top(editor, "native", TEXT)
    assert active_number(owner.org) == 0
