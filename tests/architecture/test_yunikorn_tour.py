"""The tour for users of YuniKorn has the results that it describes."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from console.configs.services.apply_config import apply_config
from console.dialects.positions import apply_fix
from console.dialects.yunikorn import DIALECT
from console.orgs.models import Organization
from console.orgs.permissions import Actor

TOUR = (Path(__file__).parent.parent.parent / "docs" / "yunikorn-tour.md").read_text("utf-8")


def repaired_config() -> str:
    """Return the config of the tour after the fix that the editor offers."""
    (text,) = re.findall(r"```yaml\n(.*?)```", TOUR, re.DOTALL)
    diagnostics = DIALECT.read(text, {}).diagnostics
    assert len(diagnostics) == 3
    fix = diagnostics[0].fixes[0]
    assert f"*{fix.title}*" in TOUR
    return apply_fix(text, fix)


def test_tour_starts_preempts_and_limits(
    org: Organization,
    owner: Actor,
    api_for: Callable[[Actor], Client],
    settle: Callable[[Organization], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api, url = api_for(owner), f"/api/v1/orgs/{org.slug}"
    jobs = re.findall(r"<<'JOB'\n(.*?)JOB\n", TOUR, re.DOTALL)
    node, pods = re.findall(r"-d '(\{.*?\})'", TOUR)
    ids: dict[str, str] = {}

    def send(method: str, path: str, body: str) -> Any:
        answer = api.generic(method, f"{url}/{path}", body, content_type="application/json")
        assert answer.status_code in (201, 202)
        settle(org)
        return answer.json()

    def submit(texts: list[str]) -> None:
        for text in texts:
            name = re.search('"name": "([a-z]+)"', text)
            assert name is not None
            (ids[name[1]],) = send("POST", "workloads", text)["ids"]

    def headline(name: str) -> Any:
        return api.get(f"{url}/workloads/{ids[name]}/explanation").json()["headline"]

    text = repaired_config()
    assert DIALECT.read(text, {}).diagnostics == ()
    apply_config(owner, "yunikorn", text, "", 0)
    send("PUT", "capacity/clusters/east", node)
    submit(jobs[:1])
    told = [headline("train")]
    submit(jobs[1:2])
    later = _later(timezone.now() + timedelta(seconds=2))
    monkeypatch.setattr(timezone, "now", later)
    settle(org)
    told += [headline("train"), headline("evaluate")]
    send("POST", f"workloads/{ids['train']}/pods/release", pods)
    told.append(headline("evaluate"))
    submit(jobs[2:])
    told += [headline("compare"), headline("notebook")]
    assert told == re.findall(r"^> (.+)$", TOUR, re.MULTILINE)


def _later(moment: datetime) -> Callable[[], datetime]:
    return lambda: moment
