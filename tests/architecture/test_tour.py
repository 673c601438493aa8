"""The README tour has the results that it describes."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.supervisor import demo
from tests import tour
from tests.pages.page import read_page


def test_tour_admits_queues_rejects_and_starts_after_a_finish(
    org: Organization,
    owner: Actor,
    submitter: Actor,
    api_for: Callable[[Actor], Client],
    client_for: Callable[[Actor], Client],
    settle: Callable[[Organization], int],
) -> None:
    text = demo.PRIORITY_DEMO.text
    apply_config(owner, "native", text, "", 0)
    text = tour.repaired(tour.with_mistake(text))
    apply_config(owner, "native", text, "", 1)
    api, url = api_for(submitter), f"/api/v1/orgs/{org.slug}/workloads"
    answer = api.post(url, tour.submission(), content_type="application/json")
    first, second, third = answer.json()["ids"]
    settle(org)
    told = [api.get(f"{url}/{uid}/explanation").json() for uid in (third, second)]
    rejected, waiting = (each["headline"] for each in told)
    # The advice on the page of the rejected workload, under "How to get it accepted".
    advice = [each["text"] for each in told[0]["changes"]]
    assert [rejected, tour.quotes()[1], waiting] == tour.quotes()
    assert tour.quotes()[1] in advice
    page = read_page(client_for(owner).get(f"/o/{org.slug}/workloads/{third}"))
    on_page = [each.text for each in page.id("advice").all("li")]
    assert all(shown.startswith(text) for shown, text in zip(on_page, advice, strict=True))
    api.post(f"{url}/{first}/finish", content_type="application/json")
    settle(org)
    states = [api.get(f"{url}/{uid}").json()["state"] for uid in (first, second, third)]
    assert states == ["finished", "admitted", "rejected"]
