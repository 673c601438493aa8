"""The tour for users of KAI has the results that it describes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.test import Client

from console.configs.services.apply_config import apply_config
from console.dialects.kai import DIALECT
from console.dialects.positions import apply_fix
from console.orgs.models import Organization
from console.orgs.permissions import Actor

TOUR = (Path(__file__).parent.parent.parent / "docs" / "kai-tour.md").read_text("utf-8")


def repaired_config() -> str:
    """Return the config of the tour after the fix that the editor offers."""
    (text,) = re.findall(r"```yaml\n(.*?)```", TOUR, re.DOTALL)
    (diagnostic,) = DIALECT.read(text, {}).diagnostics
    fix = diagnostic.fixes[0]
    assert f"*{fix.title}*" in TOUR
    return apply_fix(text, fix)


def test_tour_starts_reclaims_and_waits(
    org: Organization,
    owner: Actor,
    api_for: Callable[[Actor], Client],
    settle: Callable[[Organization], int],
) -> None:
    api, url = api_for(owner), f"/api/v1/orgs/{org.slug}"
    jobs = re.findall(r"<<'JOB'\n(.*?)JOB\n", TOUR, re.DOTALL)
    ids: dict[str, str] = {}

    def submit(texts: list[str]) -> None:
        for text in texts:
            answer = api.post(f"{url}/workloads", text, content_type="application/yaml").json()
            assert answer["lints"] == []
            name = re.search(r"name: ([\w-]+)", text)
            assert name is not None
            (ids[name[1]],) = answer["ids"]
            settle(org)

    def headline(name: str) -> Any:
        return api.get(f"{url}/workloads/{ids[name]}/explanation").json()["headline"]

    text = repaired_config()
    assert DIALECT.read(text, {}).diagnostics == ()
    apply_config(owner, "kai", text, "", 0)
    submit(jobs[:2])
    told = [headline("train-b")]
    submit(jobs[2:])
    told += [headline("evaluate"), headline("train-b"), headline("serve")]
    address = f"{url}/workloads/{ids['train-b']}/release"
    assert api.post(address, {}, content_type="application/json").status_code == 202
    settle(org)
    told += [headline("evaluate"), headline("train-b")]
    assert told == re.findall(r"^> (.+)$", TOUR, re.MULTILINE)
