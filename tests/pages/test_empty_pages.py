"""Pages of an organization without any data, in every role."""

from __future__ import annotations

import pytest
from django.test import Client

from console.orgs.models import Organization
from tests.pages.page import complaints, read_page


@pytest.mark.parametrize(
    "path",
    [
        "",
        "attention",
        "queues",
        "shares",
        "users",
        "placement-rules",
        "cohorts",
        "capacity",
        "workloads",
        "workloads/new",
        "config",
        "config/edit",
        "config/drafts",
        "config/reviews",
        "config/history",
        "events",
        "events/audit",
        "settings/members",
        "settings/invitations",
        "settings/invitations/new",
        "settings/tokens",
        "settings/tokens?state=ended",
        "settings/tokens/new",
        "settings/webhooks",
        "settings/webhooks/new",
    ],
)
def test_an_empty_organization_says_what_to_do_next(
    path: str, org: Organization, people: dict[str, Client]
) -> None:
    for browser in people.values():
        response = browser.get(f"/o/{org.slug}/{path}")
        if response.status_code == 200:
            assert complaints(read_page(response)) == []
