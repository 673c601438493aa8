"""Consequences of an apply: each is named, and an apply requires their acceptance."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from console.configs.errors import ConfigRejected, ConsequencesNotAccepted
from console.configs.models import ConfigVersion, Expectation, ImpactRun
from console.configs.services.apply_config import apply_config
from console.configs.services.consequences import find_consequences
from console.configs.services.find_impact import find_impact
from console.configs.services.lint_config import lint_config
from console.configs.services.roll_back import roll_back
from console.errors import NotAllowed
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Event
from console.workloads.queries import backlog
from console.workloads.queries.backlog import backlog_of
from console.workloads.queries.holdings import holdings_of
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

Settle = Callable[[Organization], int]

#: A Kueue config, where queues may change: {quota}, {stop} and {flavor} of queue ml.
KUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: spot}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: fixed}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: ml}
spec:
  stopPolicy: {stop}
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [gpu]
      flavors:
        - {name: {flavor}, resources: [{name: gpu, nominalQuota: {quota}}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: main, namespace: team}
spec: {clusterQueue: ml, stopPolicy: {door}}
"""
NATIVE = """\
resource_flavors:
  - name: spot
resource_queues:
  - name: ml
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{ name: spot, resources: [{ name: gpu, nominal_quota: 4 }] }]
  - name: default
scheduling_rules:
  - selector: [{ key: team, operator: in, values: [ml] }]
    resource_queue: ml
  - resource_queue: default
"""
RENAMED = (
    NATIVE.replace("name: ml\n", "name: ml:v2\n")
    .replace("resource_queue: ml\n", "resource_queue: ml:v2\n")
    .replace("nominal_quota: 4", "nominal_quota: 2")
)


def kueue(
    quota: int = 4, stop: str = "None", flavor: str = "spot", local_queue: str = "None"
) -> str:
    """Return the Kueue config."""
    values = {"quota": str(quota), "stop": stop, "flavor": flavor, "door": local_queue}
    text = KUEUE
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def names(actor: Actor, dialect: str, text: str) -> list[tuple[str, int]]:
    """Return the codes and levels of the consequences."""
    return [(each.code, each.level) for each in find_consequences(actor, dialect, text)]


@pytest.fixture
def native(owner: Actor, settle: Settle) -> None:
    """Apply the native config, with running and pending workloads in queue ml."""
    apply_config(owner, "native", NATIVE, "", 0)
    asks = {"gpu": 2000}
    submit_workloads(
        owner, [Submission(name=f"w{n}", tags={"team": "ml"}, requests=asks) for n in range(3)]
    )
    settle(owner.org)


@pytest.fixture
def running(owner: Actor, settle: Settle) -> None:
    """Apply the Kueue config, with running and pending workloads in queue ml."""
    apply_config(owner, "kueue", kueue(), "", 0)
    labels = {"kueue.x-k8s.io/queue-name": "main"}
    asks = {"gpu": 2000}
    submit_workloads(
        owner,
        [Submission(name=f"w{n}", namespace="team", tags=labels, requests=asks) for n in range(3)],
    )
    settle(owner.org)


def test_nothing_follows_from_the_first_config_or_from_a_comment(owner: Actor) -> None:
    assert names(owner, "native", NATIVE) == []
    apply_config(owner, "native", NATIVE, "", 0)
    assert names(owner, "native", "# A comment.\n" + NATIVE) == []


def test_a_queue_with_work_goes(native: None, owner: Actor) -> None:
    text = "resource_queues:\n  - name: default\nscheduling_rules:\n  - resource_queue: default\n"
    (found,) = find_consequences(owner, "native", text)
    assert (found.code, found.level, found.message) == (
        "queue_removed",
        3,
        (
            "Queue ml is removed, with 2 running and 1 pending: running workloads stay charged to "
            "it until they end, pending workloads are routed again and rejected where no rule "
            "matches."
        ),
    )


def test_a_renamed_queue_drains_under_its_old_name(native: None, owner: Actor) -> None:
    (found,) = find_consequences(owner, "native", RENAMED)
    assert (found.code, found.level, found.message) == (
        "queue_drains",
        2,
        (
            "ml becomes ml:v2, with 2 running and 1 pending: running workloads stay charged to the "
            "old name until they end; pending workloads are routed again. Combined peak "
            "usage: ml and ml:v2 up to 6 GPUs on spot, 4 GPUs above the quota of ml:v2, until at "
            "least 2 running workloads of ml have ended."
        ),
    )
    assert found.headline.endswith("pending workloads are routed again. Combined peak usage:")
    (peak,) = found.items
    assert peak == (
        "ml and ml:v2 up to 6 GPUs on spot, 4 GPUs above the quota of ml:v2, until at least 2 "
        "running workloads of ml have ended"
    )


def test_a_successor_asks_no_tick_unless_its_quota_is_lowered(owner: Actor, settle: Settle) -> None:
    apply_config(owner, "native", NATIVE, "", 0)
    submit_workloads(
        owner,
        [
            Submission(name=name, tags={"team": "ml"}, requests={"gpu": asks})
            for name, asks in (("runs", 2000), ("never", 9000))
        ],
    )
    settle(owner.org)
    renamed = RENAMED.replace("nominal_quota: 2", "nominal_quota: 4")
    warned = [
        {
            (each.code, each.message)
            for each in lint_config(owner, "native", text).findings
            if each.code == "LNT013"
        }
        for text in (NATIVE, renamed)
    ]
    assert [len(each) for each in warned] == [1, 1]
    assert warned[0] != warned[1]
    assert names(owner, "native", renamed) == [("queue_drains", 1)]
    # A smaller quota is a new consequence; a larger one that is still too small is not.
    assert names(owner, "native", RENAMED) == [("warnings_added", 2), ("queue_drains", 1)]
    more = RENAMED.replace("nominal_quota: 2", "nominal_quota: 6")
    assert "LNT013" in [each.code for each in lint_config(owner, "native", more).findings]
    assert names(owner, "native", more) == [("queue_drains", 1)]
    # A different count of recorded workloads is not new either.
    submit_workloads(owner, [Submission(name="w", tags={"team": "ml"}, requests={"gpu": 12_000})])
    settle(owner.org)
    assert names(owner, "native", more) == [("queue_drains", 1)]
    made = apply_config(owner, "native", more, "", 1, accept=[])
    assert [each["code"] for each in made.consequences] == ["queue_drains"]


def test_another_name_of_a_queue_asks_one_tick(native: None, owner: Actor) -> None:
    moved = NATIVE.replace("name: ml\n", "name: lab\n").replace("queue: ml\n", "queue: lab\n")
    assert names(owner, "native", moved) == [("queue_drains", 2)]


def test_a_successor_has_no_warnings_of_its_own(native: None, owner: Actor) -> None:
    larger = RENAMED.replace("nominal_quota: 2", "nominal_quota: 6")
    assert lint_config(owner, "native", larger).findings == ()
    moved = NATIVE.replace("name: ml\n", "name: lab\n").replace("queue: ml\n", "queue: lab\n")
    assert [each.code for each in lint_config(owner, "native", moved).findings] == ["LNT012"]


def test_a_warning_about_another_object_is_new(owner: Actor, settle: Settle) -> None:
    apply_config(owner, "native", NATIVE, "", 0)
    asks = [("ml", 9000), ("art", 9000)]
    submit_workloads(
        owner,
        [Submission(name=team, tags={"team": team}, requests={"gpu": gpu}) for team, gpu in asks],
    )
    settle(owner.org)
    limited = NATIVE.replace(
        "  - name: default\n",
        "  - name: art\n    resource_groups:\n      - covered_resources: [gpu]\n"
        "        flavors: [{ name: spot, resources: [{ name: gpu, nominal_quota: 4 }] }]\n"
        "  - name: default\n",
    ).replace(
        "  - resource_queue: default\n",
        "  - selector: [{ key: team, operator: in, values: [art] }]\n    resource_queue: art\n"
        "  - resource_queue: default\n",
    )
    (found,) = find_consequences(owner, "native", limited)
    assert found.message == (
        "The text has 1 warning that the active version does not have: LNT013."
    )


def test_queues_without_work_come_and_go_as_they_like(owner: Actor) -> None:
    apply_config(owner, "native", NATIVE, "", 0)
    assert names(owner, "native", RENAMED) == []


def test_routing_that_leaves_work_out_or_lets_all_of_it_in(native: None, owner: Actor) -> None:
    closed = NATIVE.replace("  - resource_queue: default\n", "")
    assert names(owner, "native", closed) == [("catch_all_lost", 3), ("warnings_added", 2)]
    codes = names(owner, "native", NATIVE[: NATIVE.index("scheduling_rules")])
    assert ("quota_dropped", 3) in codes


def test_warnings_that_the_active_version_has_are_not_asked_again(owner: Actor) -> None:
    closed = NATIVE.replace("  - resource_queue: default\n", "")
    apply_config(owner, "native", closed, "", 0)
    assert names(owner, "native", "# Still closed.\n" + closed) == []


def test_a_warning_that_only_stands_elsewhere_is_not_asked_again(owner: Actor) -> None:
    rule = "  - selector: [{ key: team, operator: in, values: [ml] }]\n    resource_queue: ml\n"
    shadowed = NATIVE.replace("scheduling_rules:\n", f"scheduling_rules:\n{rule}")
    apply_config(owner, "native", shadowed, "", 0)
    other = rule.replace("[ml]", "[art]")
    moved = shadowed.replace("scheduling_rules:\n", f"# Why.\nscheduling_rules:\n{other}")
    twice = moved.replace(other, other + other)
    assert names(owner, "native", moved) == []
    (found,) = find_consequences(owner, "native", twice)
    assert found.message == (
        "The text has 1 warning that the active version does not have: LNT002."
    )


def test_work_that_is_told_to_stop_or_cannot_start(running: None, owner: Actor) -> None:
    (drained,) = find_consequences(owner, "kueue", kueue(stop="HoldAndDrain"))
    assert (drained.code, drained.level, drained.message) == (
        "work_evicted",
        3,
        "Queue ml is stopped and drained: 2 running workloads are preempted.",
    )
    (held,) = find_consequences(owner, "kueue", kueue(stop="Hold"))
    assert (held.code, held.level, held.message) == (
        "queue_stopped",
        2,
        "Queue ml is held: 1 pending workload cannot start there.",
    )
    assert names(owner, "kueue", kueue(local_queue="HoldAndDrain")) == [("work_evicted", 3)]


NO_CATCH_ALL = NATIVE.replace("values: [ml]", "values: [web]").replace(
    "  - resource_queue: default\n", ""
)


def test_pending_workloads_that_are_rejected_are_counted(native: None, owner: Actor) -> None:
    lost, rejected = find_consequences(owner, "native", NO_CATCH_ALL)[:2]
    assert lost.code == "catch_all_lost"
    assert (rejected.code, rejected.level, rejected.message) == (
        "pending_rejected",
        2,
        "1 pending workload of queue ml is rejected: no rule, or no flavor, matches it any more.",
    )
    # Workloads that were rejected before, or move to another queue, are not counted.
    moved = NATIVE.replace("resource_queue: ml\n", "resource_queue: default\n", 1)
    assert "pending_rejected" not in dict(names(owner, "native", moved))


def test_a_long_line_is_judged_by_its_newest_and_by_its_classes(
    native: None, owner: Actor, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = [
        Submission(name=f"more{n}", tags={"team": "ml"}, requests={"gpu": 3000}) for n in (1, 2)
    ]
    submit_workloads(owner, asks)
    settle(owner.org)
    assert [(kind.count, kind.queue) for kind in backlog_of(owner.org).kinds] == [
        (1, "ml"),
        (2, "ml"),
    ]
    monkeypatch.setattr(backlog, "MOST_LOOKED", 1)
    found = backlog_of(owner.org)
    # The newest represents both workloads of its class, and another one its own class.
    assert ([kind.count for kind in found.kinds], found.is_whole) == ([1, 2], False)
    told = [each.message for each in find_consequences(owner, "native", NO_CATCH_ALL)]
    assert told[1].startswith("About 3 pending workloads of queue ml are rejected")


def test_pending_workloads_of_different_users_are_of_different_kinds(
    running: None, owner: Actor, settle: Settle
) -> None:
    labels = {"kueue.x-k8s.io/queue-name": "main"}
    asks = {"gpu": 2000}
    people = [("ann", ()), ("ann", ()), ("bob", ()), ("bob", ("ops",))]
    submit_workloads(
        owner,
        [
            Submission(
                name=f"{user}{n}",
                namespace="team",
                tags=labels,
                requests=asks,
                user=user,
                groups=groups,
            )
            for n, (user, groups) in enumerate(people)
        ],
    )
    settle(owner.org)
    found = [
        (each.workload.user, each.workload.groups, each.count)
        for each in backlog_of(owner.org).kinds
        if each.workload.user in ("ann", "bob")
    ]
    assert sorted(found) == [("ann", (), 2), ("bob", (), 1), ("bob", ("ops",), 1)]


def test_quota_below_what_runs_and_a_flavor_that_is_taken_away(running: None, owner: Actor) -> None:
    (over,) = find_consequences(owner, "kueue", kueue(quota=3))
    assert (over.code, over.level) == ("over_nominal", 2)
    assert over.message == (
        "ml uses 4 GPUs on spot and will have a nominal quota of 3 GPUs: 1 GPU over, until at "
        "least 1 running workload has ended. A config change does not stop running workloads; "
        "usage above the nominal quota counts as borrowing, so a cohort may reclaim it, and "
        "without a cohort no further workload starts."
    )
    assert names(owner, "kueue", kueue(quota=4)) == []
    lost, warned = find_consequences(owner, "kueue", kueue(flavor="fixed"))
    assert warned.code == "warnings_added"
    assert (lost.code, lost.level, lost.message) == (
        "flavor_lost",
        2,
        (
            "Running workloads of queue ml use a flavor that the queue no longer has: they keep "
            "their quota until they end."
        ),
    )


def test_another_language_and_a_broken_expectation(native: None, owner: Actor) -> None:
    Expectation.objects.create(
        org=owner.org, name="ml lands in ml", labels={"team": "ml"}, queue="ml", author="ada"
    )
    found = {each.code: each.message for each in find_consequences(owner, "kueue", kueue())}
    assert found["dialect_changed"] == "The config language changes from Native to Kueue."
    assert found["expectation_broken"] == ("1 expectation is not met by this text: ml lands in ml.")
    assert found["catch_all_lost"]


@pytest.mark.parametrize("state", [ImpactRun.State.FAILED, ImpactRun.State.CANCELLED])
def test_an_impact_that_could_not_be_found_out(
    state: ImpactRun.State, native: None, owner: Actor
) -> None:
    text = "# Mine.\n" + NATIVE
    run = find_impact(owner, "native", text)
    assert names(owner, "native", text) == []
    ImpactRun.objects.filter(pk=run.pk).update(state=state)
    (found,) = find_consequences(owner, "native", text)
    assert (found.code, found.level) == ("preview_unavailable", 2)
    assert names(owner, "native", text + "# Another text.\n") == []


def test_a_text_with_errors_has_no_consequences(owner: Actor, viewer: Actor) -> None:
    with pytest.raises(ConfigRejected):
        find_consequences(owner, "native", "resource_queues: 5")
    assert find_consequences(viewer, "native", NATIVE) == ()


def test_an_apply_needs_every_code_when_it_is_asked(native: None, owner: Actor) -> None:
    closed = RENAMED.replace("  - resource_queue: default\n", "")
    wanted = ["catch_all_lost", "queue_drains", "warnings_added"]
    with pytest.raises(ConsequencesNotAccepted) as refused:
        apply_config(owner, "native", closed, "", 1, accept=["queue_drains", "more"])
    assert [each.code for each in refused.value.consequences] == wanted
    assert refused.value.missing == ("catch_all_lost", "warnings_added")
    assert ConfigVersion.objects.count() == 1

    version = apply_config(owner, "native", closed, "", 1, accept=wanted)
    version.refresh_from_db()
    assert [each["code"] for each in version.consequences] == wanted
    assert all(each["message"] for each in version.consequences)
    event = Event.objects.filter(type="CONFIG_UPDATED").first()
    assert event is not None
    assert json.loads(json.dumps(event.data)) == {
        "version": 2,
        "from": 1,
        "kind": "apply",
        "message": "",
        "via": "api",
        "accepted": wanted,
    }


def test_a_roll_back_is_asked_the_same(native: None, owner: Actor) -> None:
    apply_config(owner, "native", NATIVE.replace("ml]", "ml, nlp]"), "", 1)
    closed = NATIVE.replace("  - resource_queue: default\n", "")
    apply_config(owner, "native", closed, "", 2)
    apply_config(owner, "native", NATIVE, "", 3)
    with pytest.raises(ConsequencesNotAccepted):
        roll_back(owner, 3, 4, accept=[])
    accepted = ["catch_all_lost", "warnings_added"]
    version = roll_back(owner, 3, 4, accept=accepted)
    assert (version.number, [each["code"] for each in version.consequences]) == (5, accepted)


def test_acceptance_is_optional_for_scripts(native: None, owner: Actor) -> None:
    followed = apply_config(owner, "native", RENAMED, "", 1).consequences
    assert [(each["code"], each["accepted"]) for each in followed] == [("queue_drains", False)]


def test_a_refused_apply_reveals_no_consequences(native: None, editor: Actor) -> None:
    with pytest.raises(NotAllowed):
        apply_config(editor, "native", RENAMED, "", 1, accept=[])


def test_a_queue_that_grew_and_comes_back_tells_the_peak(owner: Actor, settle: Settle) -> None:
    """Native 64, then 128 under a successor's name, and back: both queues may run 64 of 64."""
    small = NATIVE.replace("nominal_quota: 4", "nominal_quota: 64")
    large = RENAMED.replace("nominal_quota: 2", "nominal_quota: 128")

    def submit(count: int) -> None:
        wanted = Submission(name="w", tags={"team": "ml"}, requests={"gpu": 8000})
        submit_workloads(owner, [wanted] * count)
        settle(owner.org)

    apply_config(owner, "native", small, "", 0)
    submit(8)
    grown = apply_config(owner, "native", large, "", 1)
    assert [each["code"] for each in grown.consequences] == ["queue_drains"]
    assert (
        "ml and ml:v2 up to 192 GPUs on spot, 64 GPUs above the quota of ml:v2"
        in (grown.consequences[0]["message"])
    )
    settle(owner.org)
    submit(8)
    with pytest.raises(ConsequencesNotAccepted) as refused:
        apply_config(owner, "native", small, "", 2, accept=[])
    (found,) = refused.value.consequences
    assert found.message.endswith(
        "Combined peak usage: ml:v2 and ml up to 128 GPUs on spot, 64 GPUs above the quota of ml, "
        "until at least 8 running workloads of ml:v2 have ended."
    )


def test_kinds_of_what_runs_are_counted_by_what_they_hold(running: None, owner: Actor) -> None:
    found = holdings_of(owner.org, ["ml", "nowhere"])
    assert {name: sorted(count for _, count in kinds) for name, kinds in found.items()} == {
        "ml": [2]
    }


def test_a_larger_queue_beside_one_with_little_to_borrow_asks_no_tick(owner: Actor) -> None:
    """Quota that others cannot borrow because of lending limits is a note, not a consequence."""

    def text(quota: int) -> str:
        queues = "".join(
            "---\n"
            "apiVersion: kueue.x-k8s.io/v1beta1\n"
            "kind: ClusterQueue\n"
            f"metadata: {{name: {name}}}\n"
            "spec:\n"
            "  namespaceSelector: {}\n"
            "  cohort: all\n"
            "  preemption: {reclaimWithinCohort: Any}\n"
            "  resourceGroups:\n"
            "    - coveredResources: [gpu]\n"
            "      flavors:\n"
            f"        - {{name: spot, resources: [{{name: gpu, {numbers}}}]}}\n"
            "---\n"
            "apiVersion: kueue.x-k8s.io/v1beta1\n"
            "kind: LocalQueue\n"
            f"metadata: {{name: {name}, namespace: team}}\n"
            f"spec: {{clusterQueue: {name}}}\n"
            for name, numbers in (
                ("large", f"nominalQuota: {quota}, lendingLimit: 4"),
                ("small", "nominalQuota: 4"),
            )
        )
        return (
            "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {name: spot}\n"
            f"{queues}"
        )

    apply_config(owner, "kueue", text(8), "", 0)
    assert "KUE072" in [each.code for each in lint_config(owner, "kueue", text(16)).findings]
    assert names(owner, "kueue", text(16)) == []
