"""Workload ids: opaque to users, and ordered by time for indexes."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from unittest.mock import Mock, patch

from console.workloads.models import new_uid


def test_an_id_made_later_is_greater_whatever_its_rest_is() -> None:
    moments = [datetime.fromtimestamp(each, UTC) for each in (9.9, 10, 2**31)]
    clock = Mock(now=Mock(side_effect=moments))
    rests = Mock(token_hex=Mock(side_effect=("f" * 12, "0" * 12, "a" * 12)))
    with (
        patch("console.workloads.models.workloads.timezone", clock),
        patch("console.workloads.models.workloads.secrets", rests),
    ):
        ids = [new_uid() for _ in moments]
    assert ids == ["00000009ffffffffffff", "0000000a000000000000", "80000000aaaaaaaaaaaa"]


def test_ids_of_one_moment_differ() -> None:
    ids = {new_uid() for _ in range(1_000)}
    assert len(ids) == 1_000
    assert all(re.fullmatch("[0-9a-f]{20}", each) for each in ids)
