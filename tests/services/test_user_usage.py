"""Use of queues by users and groups is read again only after a change."""

from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext

from console.orgs.permissions import Actor
from console.workloads.queries.hierarchy.user_usage import UserUse, user_use_of
from tests.hierarchy import fill_hierarchy, submit


def _read(owner: Actor) -> tuple[UserUse | None, bool]:
    """Return the report, and whether running workloads were read for it."""
    with CaptureQueriesContext(connection) as queries:
        found = user_use_of(owner.org)
    return found, any("pod_sets" in each["sql"] for each in queries)


def _workloads(found: UserUse | None) -> dict[str, int]:
    assert found is not None
    return {each.name: each.workloads for each in found.holders if not each.is_group}


def test_a_report_is_kept_until_the_worker_writes(owner: Actor) -> None:
    fill_hierarchy(owner)
    found, is_read = _read(owner)
    assert (_workloads(found), is_read) == ({"sue": 1, "bob": 2}, True)
    assert _read(owner) == (found, False)
    submit(owner, "more", "root.dev.web", user="amy", cpu=1)
    found, is_read = _read(owner)
    assert (_workloads(found), is_read) == ({"sue": 1, "bob": 2, "amy": 1}, True)
