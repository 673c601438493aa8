"""Audit entries per address: every request that changes something leaves one, and no other does."""

from __future__ import annotations

import pytest

from console.orgs.models import AuditEntry
from tests.permissions.conftest import Stage
from tests.permissions.sending import ask_refused
from tests.permissions.table import API, PAGES, Line

#: Endings of POST addresses that change nothing permanent.
_ASKING = (
    *("config/check", "config/route", "expectations/check", "tools/route/many"),
    *("edit/check", "edit/complete", "edit/explain", "edit/context", "edit/hits"),
    "edit/fix",
    # Searches, stored for an hour.
    *("/search", "/changes"),
    # The pending workload of the request is not submitted again.
    "workloads/resubmit",
    # The workload of the request is active already.
    "/activate",
    # A sign of life every few seconds.
    "/heartbeat",
    # Temporary presence; settings of a browser or person; and settings that do not change.
    *("/visit", "/leave", "/save", "settings/appearance", "members/$me", "config/conflict"),
    *("settings/notifications",),
)
#: Saving a draft is not recorded; starting, applying and discarding one are.
_TYPED = "do=save&text=$text&revision=1"
#: Nothing is changed before the apply.
_PREVIEW = "do=preview&expected_version=$version"
#: An apply also discards the draft.
_TWICE = "draft=$draft&revision=1&expected_version=$version"
_DONE = (200, 201, 202, 204, 302)

CHANGES = [
    line
    for line in (*PAGES, *API)
    if line.is_of_org
    and not line.is_safe
    and line.status in _DONE
    and not line.path.partition("?")[0].endswith(_ASKING)
    and line.body not in (_TYPED, _PREVIEW)
    and not line.body.startswith("do=activate")
]


@pytest.mark.parametrize("line", CHANGES, ids=lambda line: line.id)
def test_every_changing_request_leaves_an_audit_entry(line: Line, stage: Stage) -> None:
    owner = stage.caller("owner here")
    last = AuditEntry.objects.latest("pk").pk
    answer = ask_refused(owner, line, stage.names(owner))
    assert answer.status == line.status
    left = AuditEntry.objects.filter(pk__gt=last).values_list("actor", flat=True)
    assert list(left) == ["owner@orchard.example"] * (2 if line.body == _TWICE else 1)
