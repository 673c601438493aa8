"""The rule tester with a language that routes by a label of the queue."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.dialects.kai import DIALECT
from console.orgs.permissions import Actor
from tests.pages.page import complaints, read_page

TESTER = "/o/here/tools/route"


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("physics-training", "It is routed to physics-training with priority 50."),
        (
            "physics",
            (
                "Cannot run: physics has child queues, and workloads run in queues without "
                "children only."
            ),
        ),
        (
            "physics-trainin",
            (
                "Cannot run: the config does not define the queue physics-trainin. Did you mean "
                "physics-training?"
            ),
        ),
        ("", "Cannot run: the config does not define the queue default-queue."),
    ],
)
def test_labels_lead_to_queues(owner: Actor, browser: Client, label: str, told: str):
    apply_config(owner, "kai", DIALECT.samples()["Departments of a lab, with nodes"], "", 0)
    query = {"key": "kai.scheduler/queue", "value": label, "requests": "cpu: 1"}
    page = read_page(browser.get(f"{TESTER}?{urlencode(query)}", follow=True))
    assert complaints(page) == []
    assert told in " ".join(page.text.split())
