"""Lints with facts of the organization: recent history, running workloads and the active config."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.configs.services.consequences import find_consequences
from console.configs.services.lint_config import Checked, lint_config
from console.errors import BadRequest
from console.orgs.models import Organization, Role, User
from console.orgs.permissions import Actor
from console.workloads.models import RecordedShape
from console.workloads.queries import recent_history as recent_history_module
from console.workloads.queries.recent_history import forget_histories, recent_history
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

Settle = Callable[[Organization], int]

TEXT = """\
resource_flavors: [{name: any}]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 4}]}]
scheduling_rules:
  - {resource_queue: train, selector: [{key: team, operator: in, values: [vision, speech]}]}
"""


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    forget_histories()
    yield
    forget_states()


def findings_of(checked: Checked) -> list[tuple[int, str]]:
    return [(d.span.line, d.code) for d in checked.findings]


def submit(actor: Actor, count: int, team: str) -> None:
    one = Submission(name="w", tags={"team": team}, requests={"gpu": 2000})
    submit_workloads(actor, [one] * count)


def test_lints_know_history_and_what_runs(
    org: Organization, other_org: Organization, owner: Actor, settle: Settle
) -> None:
    assert findings_of(lint_config(owner, "native", TEXT)) == [(8, "NAT020")]
    forget_histories()
    apply_config(owner, "native", TEXT, "", 0)
    submit(owner, 20, "vision")
    submit(owner, 3, "lost")
    settle(org)
    # Two run and hold 4 GPUs, 18 are pending, and three were rejected.
    smaller = TEXT.replace("nominal_quota: 4", "nominal_quota: 1").replace("train", "train-2")
    checked = lint_config(owner, "native", smaller)
    assert findings_of(checked) == [(3, "LNT012"), (6, "LNT013"), (8, "LNT001"), (8, "LNT015")]
    assert [d.message for d in checked.lints] == [
        (
            'This looks like queue "train" under a new name. Queue "train-2" starts empty, while '
            "2 run and 18 wait under the old name."
        ),
        (
            "20 workloads of the last 30 days requested up to 2 GPUs here, and queue "
            '"train-2" can never have more than 1 GPU for them, in flavor "any".'
        ),
        (
            "No rule matches 3 of the 23 workloads of the last 30 days: a similar workload would "
            "be rejected. The most frequent had team=lost."
        ),
        'Label "team" was never "speech" in the last 30 days.',
    ]


def test_the_facts_of_others_are_not_told(
    org: Organization, other_org: Organization, owner: Actor, outsider: object, settle: Settle
) -> None:
    submit(owner, 30, "lost")
    settle(org)
    assert recent_history(org).runs == 30
    assert recent_history(other_org).runs == 0


def test_a_history_is_read_again_after_a_while(
    org: Organization, owner: Actor, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert recent_history(org).runs == 0
    submit(owner, 2, "lost")
    settle(org)
    assert recent_history(org).runs == 0
    monkeypatch.setattr(recent_history_module, "FRESH", 0.0)
    assert recent_history(org).runs == 2


def test_each_window_of_days_is_kept_of_its_own(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    submit(owner, 2, "lost")
    settle(org)
    RecordedShape.objects.filter(org=org).update(day=timezone.now().date() - timedelta(days=7))
    kept = [
        (recent_history(org, days).runs, recent_history(org, days).window_days)
        for days in (7, 30, 7)
    ]
    assert kept == [(0, 7), (2, 30), (0, 7)]


PLACES = """\
kind: Cluster
metadata: { name: west, labels: { region: us } }
---
kind: PlacementTemplate
metadata: { name: europe }
spec:
  filters: [{ name: eu, match_labels: { region: eu1 } }]
"""


def test_lints_know_the_clusters_that_report(
    org: Organization,
    other_org: Organization,
    owner: Actor,
    outsider: User,
) -> None:
    report_cluster(
        Actor.from_user(other_org, outsider, Role.OWNER),
        "west",
        {"labels": {"region": "eu1"}, "nodes": []},
    )
    report_cluster(
        owner,
        "east",
        {"labels": {"region": "eu"}, "nodes": [{"name": f"n{each}"} for each in range(30)]},
    )
    checked = lint_config(owner, "skyshift", PLACES)
    assert [(d.span.line, d.code, d.message, d.hint) for d in checked.findings] == [
        (
            1,
            "LNT022",
            "The config does not declare east, which reports to Sluice.",
            "Declare a cluster to set its labels and its order.",
        ),
        (
            2,
            "LNT021",
            'No cluster "west" has reported.',
            "Correct the name, or start the agent of the cluster.",
        ),
        (
            7,
            "LNT018",
            'Label "region" of no cluster is "eu1".',
            'Did you mean "eu"?',
        ),
    ]
    # Nodes are not read.
    with CaptureQueriesContext(connection) as queries:
        lint_config(owner, "skyshift", PLACES)
    capacity = [each["sql"] for each in queries if '"capacity_' in each["sql"]]
    assert len(capacity) == 1
    assert '"capacity_node"' not in capacity[0]
    with CaptureQueriesContext(connection) as queries:
        lint_config(owner, "native", TEXT)
    assert [each for each in queries if "capacity_" in each["sql"]] == []


def test_an_unknown_label_has_to_be_accepted_once(owner: Actor) -> None:
    report_cluster(owner, "west", {"labels": {"region": "us"}, "nodes": []})
    assert [each.code for each in find_consequences(owner, "skyshift", PLACES)] == [
        "warnings_added"
    ]
    apply_config(owner, "skyshift", PLACES, "", 0)
    assert find_consequences(owner, "skyshift", f"{PLACES}# the same\n") == ()


def test_a_text_with_errors_is_not_linted(owner: Actor) -> None:
    checked = lint_config(owner, "native", "resource_queues: [{nmae: a}]")
    assert not checked.reading.ok
    assert checked.lints == ()


def test_an_unknown_language_is_refused(owner: Actor) -> None:
    with pytest.raises(BadRequest):
        lint_config(owner, "no-such", TEXT)
