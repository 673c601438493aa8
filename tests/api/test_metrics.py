"""`/metrics`: exact totals of the engine, current gauges, and access rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from ipaddress import ip_network

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.telemetry.families import (
    COUNTERS,
    GAUGES,
    HISTOGRAMS,
    REFUSED,
    TAKEN,
    UNDER_WAY,
)
from console.telemetry.models import Total
from console.workloads.lease import leased
from console.workloads.models import Engine, Workload
from console.workloads.services.end_workloads import (
    finish_workloads,
    release_workloads,
    withdraw_workloads,
)
from console.workloads.services.hold_queue import hold_queue
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

Settle = Callable[[Organization], int]

#: Every label of every metric.
LABELS = ("org", "cohort", "queue", "flavor", "resource", "state", "status", "reason", "le")

#: train lends to eval; eval has a borrowing limit, train has none.
TEAMS = """
resource_flavors:
  - name: any
resource_queues:
  - name: train
    cohort_name: research
    preemption: {reclaim_within_cohort: any}
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: any, resources: [{name: gpu, nominal_quota: 4}]}
  - name: eval
    cohort_name: research
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: any
            resources: [{name: gpu, nominal_quota: 2, borrowing_limit: 2, lending_limit: 1}]
scheduling_rules:
  - resource_queue: train
    selector: [{key: team, operator: in, values: [train]}]
  - resource_queue: eval
    selector: [{key: team, operator: in, values: [eval]}]
"""


def submit(actor: Actor, team: str, gpu: float, count: int = 1) -> list[Workload]:
    wanted = [
        Submission(
            name=f"{team}-{number}",
            type="job",
            tags={"team": team},
            requests={"gpu": int(gpu * 1000)},
        )
        for number in range(count)
    ]
    return submit_workloads(actor, wanted)


def scrape(client: Client, **headers: str) -> dict[str, dict[tuple[str, ...], float]]:
    """Return the value of each sample by name and label values, in the order of `LABELS`."""
    response = client.get("/metrics", headers=headers)
    assert response.status_code == 200
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(response.content.decode()):
        for sample in family.samples:
            values = found.setdefault(sample.name.removeprefix("sluice_"), {})
            labels = [sample.labels[label] for label in LABELS if label in sample.labels]
            values[tuple(labels)] = sample.value
    return found


def test_gauges_show_the_current_state(
    org: Organization, owner: Actor, settle: Settle, client: Client
) -> None:
    apply_config(owner, "native", TEAMS, "", 0)
    submit(owner, "eval", 1.5, count=2)
    submit(owner, "eval", 2)
    settle(org)
    hold_queue(owner, "train", "maintenance")
    submit(owner, "train", 1, count=3)
    found = scrape(client)

    def cells(name: str) -> Mapping[tuple[str, ...], float]:
        return {labels[2:3]: value for labels, value in found[name].items()}

    assert found["pending_workloads"] == {("here", "eval", "waiting_for_quota"): 1}
    assert found["admitted_active_workloads"] == {("here", "train"): 0, ("here", "eval"): 2}
    assert found["queue_status"] == {
        ("here", "train", "held"): 1,
        ("here", "eval", "accepting"): 1,
    }
    assert found["queue_resource_usage"] == {
        ("here", "research", "train", "any", "gpu"): 0,
        ("here", "research", "eval", "any", "gpu"): 3,
    }
    assert cells("queue_resource_borrowed") == {("train",): 0, ("eval",): 1}
    assert cells("queue_resource_lent") == {("train",): 1, ("eval",): 0}
    assert cells("queue_resource_demand") == {("train",): 0, ("eval",): 2}
    assert cells("queue_nominal_quota") == {("train",): 4, ("eval",): 2}
    assert cells("queue_borrowing_limit") == {("train",): float("inf"), ("eval",): 2}
    assert cells("queue_lending_limit") == {("train",): float("inf"), ("eval",): 1}
    assert found["config_version"] == {("here",): 1}
    assert found["workloads"] == {
        ("here", "pending"): 1,
        ("here", "admitted"): 2,
        ("here", "preempting"): 0,
        ("here", "finished"): 0,
        ("here", "rejected"): 0,
        ("here", "withdrawn"): 0,
    }
    # The hold and the submission.
    assert found["intake_requests"] == {("here",): 2}
    assert 0 < found["intake_oldest_seconds"]["here",] < 60


def test_totals_count_every_transition(
    org: Organization, owner: Actor, settle: Settle, client: Client
) -> None:
    apply_config(owner, "native", TEAMS, "", 0)
    first, second = submit(owner, "eval", 2, count=2)
    lost = submit(owner, "other", 1)
    settle(org)
    (needed,) = submit(owner, "train", 4)
    settle(org)
    victims = Workload.objects.filter(state="preempting").values_list("uid", flat=True)
    release_workloads(owner, list(victims))
    settle(org)
    finish_workloads(owner, [needed.uid])
    settle(org)
    withdraw_workloads(owner, [first.uid])
    settle(org)
    found = scrape(client)

    assert found["submitted_workloads_total"] == {
        ("here", ""): len(lost),
        ("here", "eval"): 2,
        ("here", "train"): 1,
    }
    # The victim started twice.
    assert found["admitted_workloads_total"] == {("here", "eval"): 3, ("here", "train"): 1}
    assert found["rejected_workloads_total"] == {("here", "", "no_rule_matched"): 1}
    assert found["evicted_workloads_total"] == {("here", "eval", "reclaimed_in_cohort"): 1}
    assert found["finished_workloads_total"] == {("here", "train"): 1}
    assert found["withdrawn_workloads_total"] == {("here", "eval"): 1}
    waits = found["admission_wait_time_seconds_count"]
    assert waits == {("here", "eval"): 2, ("here", "train"): 1}
    batches = found["admission_cycle_seconds_count"]["here",]
    assert batches >= 5
    assert found["admission_cycle_seconds_bucket"]["here", "+Inf"] == batches
    # The config, three submissions, and what ended each of them.
    assert found["intake_wait_seconds_count"] == {("here",): 7}
    assert second.uid != first.uid


def test_buckets_add_up(org: Organization, owner: Actor, settle: Settle, client: Client) -> None:
    apply_config(owner, "native", TEAMS, "", 0)
    (waited,) = submit(owner, "train", 1)
    Workload.objects.filter(pk=waited.pk).update(
        submitted_at=timezone.now() - timedelta(seconds=30)
    )
    submit(owner, "train", 1)
    settle(org)
    found = scrape(client)
    buckets = {
        labels[2]: value for labels, value in found["admission_wait_time_seconds_bucket"].items()
    }
    assert (buckets["10.0"], buckets["20.0"], buckets["40.0"], buckets["+Inf"]) == (1, 1, 2, 2)
    assert 30 <= found["admission_wait_time_seconds_sum"]["here", "train"] < 60


def test_a_lease_takeover_is_counted_once(org: Organization, client: Client) -> None:
    with leased(org.pk) as lease:
        assert lease is not None
        with leased(org.pk) as other:
            assert other is None
        Engine.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        with leased(org.pk) as other:
            assert other is not None
    with leased(org.pk) as again:
        assert again is not None
    assert scrape(client)["lease_takeovers_total"] == {("here",): 1}


def test_a_state_reload_is_counted_once(
    org: Organization, owner: Actor, settle: Settle, client: Client
) -> None:
    apply_config(owner, "native", TEAMS, "", 0)
    for _ in range(3):
        submit(owner, "eval", 1)
        settle(org)
    # There is nothing to do, so no state is read either.
    forget_states()
    settle(org)
    assert scrape(client)["engine_load_seconds_count"] == {("here",): 1}
    submit(owner, "eval", 1)
    settle(org)
    found = scrape(client)
    assert found["engine_load_seconds_count"] == {("here",): 2}
    assert found["engine_load_seconds_bucket"]["here", "+Inf"] == 2
    assert 0 < found["engine_load_seconds_sum"]["here",] < 60


def test_counters_of_a_newer_version_are_omitted(org: Organization, client: Client) -> None:
    """Both versions share a database during an upgrade and after a downgrade."""
    before = scrape(client)
    for label in ("", "3", "sum"):
        Total.objects.create(org=org, metric="of_tomorrow", label=label, value=7)
    assert scrape(client).keys() == before.keys()


def test_queues_can_be_left_out(
    org: Organization, owner: Actor, settle: Settle, client: Client, settings
) -> None:
    settings.METRICS_BY_QUEUE = False
    apply_config(owner, "native", TEAMS, "", 0)
    submit(owner, "eval", 1)
    submit(owner, "train", 1)
    settle(org)
    found = scrape(client)
    assert found["admitted_workloads_total"] == {("here", ""): 2}
    assert found["admission_wait_time_seconds_count"] == {("here", ""): 2}
    assert "queue_nominal_quota" not in found
    assert found["workloads"]["here", "admitted"] == 2


def test_many_organizations_take_no_more_queries_than_one(
    org: Organization, owner: Actor, settle: Settle, client: Client
) -> None:
    apply_config(owner, "native", TEAMS, "", 0)
    submit(owner, "eval", 1)
    settle(org)
    with CaptureQueriesContext(connection) as one:
        scrape(client)
    for number in range(5):
        create_org(f"more-{number}", "More", owner=None)
    with CaptureQueriesContext(connection) as several:
        found = scrape(client)
    assert len(found["config_version"]) == 6
    assert len(several) == len(one)


def test_every_metric_is_described_before_anything_happened(db: None, client: Client) -> None:
    text = client.get("/metrics").content.decode()
    families = {family.name for family in text_string_to_metric_families(text)}
    questions = (UNDER_WAY, TAKEN, REFUSED)
    named = [*GAUGES.values(), *COUNTERS.values(), *HISTOGRAMS.values(), *questions]
    assert families == {f"sluice_{family.name}" for family in named}


def test_open_metrics_format_is_supported(org: Organization, client: Client) -> None:
    asked = {"Accept": "application/openmetrics-text; version=1.0.0"}
    response = client.get("/metrics", headers=asked)
    assert response["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
    assert response.content.endswith(b"# EOF\n")
    assert response["Cache-Control"] == "no-store"


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
def test_a_proxy_of_this_machine_is_refused(db: None, client: Client, name: str) -> None:
    response = client.get("/metrics", headers={name: "192.0.2.7"})
    assert response.status_code == 403
    assert "METRICS_TOKEN" in response.content.decode()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TRUSTED_PROXIES", (ip_network("10.0.0.5"),)),
        ("CSRF_TRUSTED_ORIGINS", ["https://console.example.org"]),
    ],
)
def test_behind_a_proxy_that_does_not_say_so_nobody_reads_without_a_token(
    db: None, client: Client, settings, name: str, value: object
) -> None:
    """The proxy connects from this machine on behalf of other clients."""
    setattr(settings, name, value)
    assert client.get("/metrics").status_code == 403
    settings.METRICS_TOKEN = "s3cret"
    assert client.get("/metrics", headers={"Authorization": "Bearer s3cret"}).status_code == 200


@pytest.mark.parametrize("address", ["192.0.2.7", ""])
def test_other_machines_are_refused(db: None, client: Client, address: str) -> None:
    assert client.get("/metrics", REMOTE_ADDR=address).status_code == 403


def test_a_configured_token_is_required_from_every_address(
    db: None, client: Client, settings
) -> None:
    settings.METRICS_TOKEN = "s3cret"

    def status(**headers: str) -> int:
        return client.get("/metrics", headers=headers, REMOTE_ADDR="192.0.2.7").status_code

    assert status(Authorization="Bearer s3cret") == 200
    assert status(Authorization="bearer s3cret") == 200
    assert status(Authorization="Bearer s3cre") == 403
    assert status(Authorization="Basic s3cret") == 403
    assert status() == 403
    assert client.get("/metrics").status_code == 403


def test_a_failed_batch_is_not_counted(
    org: Organization, owner: Actor, settle: Settle, monkeypatch
) -> None:
    apply_config(owner, "native", TEAMS, "", 0)
    settle(org)
    before = list(Total.objects.order_by("pk").values())

    def fail(*_: object) -> None:
        raise RuntimeError("crash")

    submit(owner, "eval", 1)
    monkeypatch.setattr("console.workloads.services.update_over_quota.OverQuotaRows.update", fail)
    with pytest.raises(RuntimeError, match="crash"):
        settle(org)
    assert list(Total.objects.order_by("pk").values()) == before
    forget_states()
