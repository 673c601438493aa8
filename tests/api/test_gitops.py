"""The scripts of docs/gitops.md: a pipeline that checks a config, and one that applies it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from console.configs.models import ConfigVersion
from console.configs.services.apply_config import apply_config
from console.configs.services.save_expectations import save_expectations
from console.dialects.kueue import DIALECT as KUEUE
from console.engine.model.workload import Workload
from console.engine.routing.expectations import ExpectedRoute
from console.orgs.models import Organization, Role
from console.orgs.permissions import Actor
from console.orgs.services.issue_token import issue_token

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "gitops" / "apply.sh"
FIRST = "# first\nresource_queues:\n- name: a\nscheduling_rules:\n- resource_queue: a\n"
SECOND = FIRST.replace("first", "second")

Apply = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def apply(live_server, org: Organization, tmp_path: Path) -> Apply:
    """Return a function that runs the script like a pipeline."""
    secret = issue_token(org, Role.OWNER, "pipeline")

    def run(new: str, before: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "new.yaml").write_text(new)
        (tmp_path / "before.yaml").write_text(before)
        return subprocess.run(
            [str(SCRIPT), "new.yaml", "before.yaml", "From the repository"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={
                "PATH": os.environ["PATH"],
                "SLUICE_URL": live_server.url,
                "SLUICE_ORG": org.slug,
                "SLUICE_TOKEN": secret,
                **environment,
            },
        )

    return run


def result_of(done: subprocess.CompletedProcess[str]) -> tuple[int, str, str]:
    """Return the exit status, the standard output and the first line of the standard error."""
    return done.returncode, done.stdout, done.stderr.partition("\n")[0]


@pytest.mark.parametrize(
    ("url", "complaints"),
    [
        ("http://127.0.0.1:9", 2),
        ("{live}/nowhere", 1),
    ],
)
def test_an_unexpected_answer_is_reported(url: str, complaints: int, apply: Apply, live_server):
    url = url.format(live=live_server.url)
    done = apply(FIRST, SLUICE_URL=url)
    *of_curl, said = done.stderr.splitlines()
    assert (done.returncode, done.stdout, len(of_curl) + 1) == (1, "", complaints)
    assert said == (
        f"{url}/api/v1/orgs/here gave no answer that Sluice gives; look at SLUICE_URL, and try "
        "again."
    )


def test_a_change_is_applied_once(apply: Apply, org: Organization):
    assert result_of(apply(FIRST)) == (0, "Applied as version 1.\n", "")
    assert result_of(apply(FIRST, FIRST)) == (0, "Version 1 has this text already.\n", "")
    assert result_of(apply(SECOND, FIRST)) == (0, "Applied as version 2.\n", "")
    newest = ConfigVersion.objects.filter(org=org).first()
    assert newest is not None
    assert (newest.text, newest.message, newest.author, newest.via) == (
        SECOND,
        "From the repository",
        "pipeline",
        "api",
    )


def test_changes_in_the_console_are_not_overwritten(apply: Apply, owner: Actor):
    apply(FIRST)
    changed = FIRST.replace("first", "by hand")
    apply_config(owner, "native", changed, "", 1)
    status, printed, complaint = result_of(done := apply(SECOND, FIRST))
    assert (status, printed) == (1, "")
    assert complaint == ("Version 2 was not made from this repository; bring in what it changed:")
    assert "-# first\n+# by hand\n" in done.stderr
    assert result_of(apply(SECOND, changed))[0] == 0


def test_errors_of_a_text_are_printed(apply: Apply):
    assert result_of(apply("resource_queues: 3\n"))[0] == 1
    done = apply("resource_queues: 3\n")
    assert done.stderr.splitlines()[0].startswith("The config has 1 error; nothing was applied.")
    assert done.stderr.splitlines()[1].startswith("  line 1: DOC004 ")


def test_consequences_are_accepted_by_code(apply: Apply, owner: Actor):
    apply(FIRST)
    expected = ExpectedRoute(
        name="strangers stay out", workload=Workload(id="any", sequence=0), queue=None
    )
    save_expectations(owner, [expected])
    done = apply(SECOND, FIRST)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == (
        "Nothing was applied: review the consequences, and accept expectation_broken too."
    )
    assert done.stderr.splitlines()[1].startswith("  expectation_broken: ")
    assert result_of(apply(SECOND, FIRST, SLUICE_ACCEPT="expectation_broken"))[0] == 0


def test_another_language_is_named(apply: Apply, org: Organization):
    text = KUEUE.samples()["Two teams share one cohort"]
    assert result_of(apply(text, SLUICE_DIALECT="kueue")) == (0, "Applied as version 1.\n", "")
    assert ConfigVersion.objects.get(org=org).dialect == "kueue"


def test_a_token_that_may_not_apply_is_told_so(apply: Apply, org: Organization):
    secret = issue_token(org, Role.EDITOR, "no owner")
    status, _, complaint = result_of(apply(FIRST, SLUICE_TOKEN=secret))
    assert (status, complaint.partition(";")[0]) == (1, "The role editor may not apply configs")
    status, _, complaint = result_of(apply(FIRST, SLUICE_TOKEN="wrong"))
    assert status == 1
    assert complaint
