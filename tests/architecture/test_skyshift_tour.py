"""The tour for users of SkyShift has the results that it describes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.test import Client

from console.configs.services.apply_config import apply_config
from console.dialects.positions import apply_fix
from console.dialects.skyshift import DIALECT
from console.orgs.models import Organization
from console.orgs.permissions import Actor

TOUR = (Path(__file__).parent.parent.parent / "docs" / "skyshift-tour.md").read_text("utf-8")


def repaired_config() -> str:
    """Return the config of the tour after the only fix that the editor offers."""
    (text,) = re.findall(r"```yaml\n(.*?)```", TOUR, re.DOTALL)
    (diagnostic,) = DIALECT.read(text, {}).diagnostics
    (fix,) = diagnostic.fixes
    assert f"*{fix.title}*" in TOUR
    return apply_fix(text, fix)


def reports() -> list[tuple[str, Any]]:
    """Return the name and the body of each report of a cluster."""
    found = re.findall(r"/capacity/clusters/([\w-]+) .*? -d '(\{.*?\})'", TOUR, re.DOTALL)
    return [(name, json.loads(body)) for name, body in found]


def test_tour_places_waits_moves_and_starts_after_a_finish(
    org: Organization,
    owner: Actor,
    api_for: Callable[[Actor], Client],
    settle: Callable[[Organization], int],
) -> None:
    api, url = api_for(owner), f"/api/v1/orgs/{org.slug}"

    def report(name: str, body: Any) -> None:
        address = f"{url}/capacity/clusters/{name}"
        assert api.put(address, body, content_type="application/json").status_code in (200, 201)
        settle(org)

    def explain(uid: str) -> Any:
        return api.get(f"{url}/workloads/{uid}/explanation").json()

    first, second, failed = reports()
    report(*first)
    report(*second)
    apply_config(owner, "skyshift", repaired_config(), "", 0)
    jobs = re.findall(r"<<'JOB'\n(.*?)JOB\n", TOUR, re.DOTALL)
    answers = [
        api.post(f"{url}/workloads", job, content_type="application/yaml").json() for job in jobs
    ]
    assert [each["lints"] for each in answers] == [[], [], []]
    train, evaluate, release = (each["ids"][0] for each in answers)
    settle(org)
    told = [explain(uid)["headline"] for uid in (train, evaluate, release)]
    advice = [each["text"] for each in explain(release)["changes"]]
    report(*failed)
    told += [advice[0], explain(train)["headline"]]
    report(*second)
    released = re.search(r"-d '(\{\"pod_set\".*?\})'", TOUR)
    assert released is not None
    for call, body in (("pods/release", json.loads(released[1])), ("finish", {})):
        answer = api.post(f"{url}/workloads/{train}/{call}", body, content_type="application/json")
        assert answer.status_code == 202
        settle(org)
    told.append(explain(evaluate)["headline"])
    assert told == re.findall(r"^> (.+)$", TOUR, re.MULTILINE)
