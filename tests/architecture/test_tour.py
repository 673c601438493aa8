"""The tour of the README comes out as it says."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from console.configs.services.apply_config import apply_config
from console.dialects import dialects
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.supervisor import demo
from tests import tour


def test_one_runs_one_waits_one_is_rejected_and_an_end_starts_the_next(
    org: Organization,
    owner: Actor,
    submitter: Actor,
    api_for: Callable[[Actor], Client],
    settle: Callable[[Organization], int],
) -> None:
    text = dialects()["native"].samples()[demo._SAMPLE]
    apply_config(owner, "native", text, "", 0)
    text = tour.repaired(tour.with_mistake(text))
    apply_config(owner, "native", text, "", 1)
    api, url = api_for(submitter), f"/api/v1/orgs/{org.slug}/workloads"
    answer = api.post(url, tour.submission(), content_type="application/json")
    first, second, third = answer.json()["ids"]
    settle(org)
    said = [api.get(f"{url}/{uid}/explanation").json()["headline"] for uid in (third, second)]
    assert said == tour.quotes()
    api.post(f"{url}/{first}/finish", content_type="application/json")
    settle(org)
    states = [api.get(f"{url}/{uid}").json()["state"] for uid in (first, second, third)]
    assert states == ["finished", "admitted", "rejected"]
