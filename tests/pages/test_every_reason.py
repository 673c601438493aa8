"""Every reason of a workload is explained by the API and on all pages about the workload."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from time import sleep
from typing import Any

import pytest
from django.test import Client

from console.capacity.services.delete_cluster import delete_cluster
from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.engine.disciplines.fairshare import reasons as shared
from console.engine.disciplines.fairshare.spec import FairQueue
from console.engine.disciplines.hierarchy import reasons as hierarchy
from console.engine.disciplines.placement.plugin import (
    KEEP,
    Cluster,
    Job,
    PlacementPlugin,
    Verdict,
    drop,
)
from console.engine.disciplines.placement.reasons import (
    EXCEEDS_ALL_CLUSTERS,
    EXCEEDS_EVERY_NODE,
    INVALID_PLACEMENT,
    MOVED,
    NO_CLUSTER_MATCHES,
    NO_CLUSTER_READY,
    NO_NODE_FITS,
    NOT_PLACEABLE,
    PLACED,
    PLUGIN_FAILED,
    REMOVED_BY_PLUGIN,
    REPLICAS_DO_NOT_FIT,
    REPLICAS_LOST,
)
from console.engine.disciplines.quota.reasons import (
    EXCEEDS_MAX_QUOTA,
    PREEMPTED_FOR_FAIR_SHARE,
    QUOTA_RESERVED,
    RECLAIMED_IN_COHORT,
    RECLAIMED_WHILE_BORROWING,
    WAITING_FOR_QUOTA,
)
from console.engine.model.common_reasons import (
    BEHIND_OTHERS,
    DEACTIVATED,
    DEACTIVATED_WHILE_RUNNING,
    DRAINED,
    NO_FLAVOR_MATCHED,
    NOT_EVALUATED,
    PASSTHROUGH,
    PREEMPTED_IN_QUEUE,
    QUEUE_HELD,
    QUEUE_MISCONFIGURED,
    QUEUE_STOPPED,
    RUN_TIME_EXCEEDED,
    RUN_TIME_USED_UP,
    WAITING_FOR_PREEMPTED,
    WITHDRAWN_WHILE_RUNNING,
)
from console.engine.model.policy import Policy
from console.engine.model.reasons import Reason, registered_reasons
from console.engine.routing.reasons import (
    LOCAL_QUEUE_MISSING,
    NAMESPACE_NOT_ALLOWED,
    NO_RULE_MATCHED,
    NO_RULES,
    PRIORITY_CLASS_MISSING,
)
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Engine, Workload
from console.workloads.services.activate_workloads import deactivate_workload
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.hold_queue import hold_queue
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.cohorts import activate_policy
from tests.conftest import settled
from tests.engine.fairshare.live import policy as shared_policy
from tests.engine.fairshare.live import queue as fair
from tests.engine.placement.plugins import installed
from tests.pages.manifests import kueue
from tests.pages.page import read_page

LABEL = "kueue.x-k8s.io/queue-name"
CLASS = "kueue.x-k8s.io/priority-class"

Settle = Callable[[Organization], int]


def queue_spec(cpu: int, *, flavor: str = "f", rest: str = "", takes: str = "{}") -> str:
    """Return the spec of a queue with a nominal quota of *cpu* on *flavor*."""
    quota = f"{{name: {flavor}, resources: [{{name: cpu, nominalQuota: {cpu}}}]}}"
    groups = f"resourceGroups: [{{coveredResources: [cpu], flavors: [{quota}]}}]"
    return f"namespaceSelector: {takes}, {groups}{rest}"


def workload_body(
    cpu: int, queue: str = "lq0", priority: int | None = None, **more: Any
) -> dict[str, Any]:
    """Return a workload in namespace ns that requests *cpu*."""
    labels = {LABEL: queue} | more.pop("tags", {})
    wish = {"requests": {"cpu": cpu}, "namespace": "ns", "tags": labels, **more}
    return wish if priority is None else {**wish, "priority": priority}


class OnlyTeams(PlacementPlugin):
    """Removes all clusters for the team red, and fails for jobs without a team."""

    job_labels = ("team",)

    def filter(self, job: Job, cluster: Cluster) -> Verdict:
        """Return whether *cluster* remains."""
        team = job.labels["team"]
        return drop(f"The team is {team}.") if team == "red" else KEEP


@dataclass(kw_only=True)
class Story:
    """A config, workloads submitted one after the other, and the steps that follow."""

    text: str = ""
    submits: list[dict[str, Any]]
    dialect: str = "kueue"
    #: Index of the workload that has the reason in the end.
    which: int = -1
    #: Config text that is applied once all workloads are decided.
    then: str = ""
    #: Action at the end.
    act: Callable[[Actor], object] | None = None
    #: A policy that takes the place of the text, for queues that share the nodes of *gpus*.
    policy: Policy | None = None
    #: GPUs of each node of the cluster ``east``; empty: no cluster.
    gpus: tuple[int, ...] = ()
    #: CPUs of the only node of the cluster ``east`` before the submissions; None: no cluster.
    node: int | None = None
    #: CPUs of each node of the cluster ``east``; empty: no cluster.
    cpus: tuple[int, ...] = ()
    #: Whether the engine runs after the submissions.
    is_decided: bool = True


def native(queue: str = "", rule: str = "[]") -> str:
    return (
        "resource_flavors: [{name: f, selector: [{key: team, operator: in, values: [a]}]}]\n"
        f"resource_queues: [{{name: q{queue}}}]\n"
        f"scheduling_rules: [{{resource_queue: q, selector: {rule}}}]\n"
    )


def job(cpu: int, replicas: int = 1) -> dict[str, Any]:
    """Return a job of *replicas* that request *cpu* each."""
    return {"pod_sets": [{"name": "main", "count": replicas, "requests": {"cpu": cpu}}]}


def pods(queue: str, gpu: int = 1, count: int = 1, **more: Any) -> dict[str, Any]:
    """Return a workload of *queue* with *count* pods of *gpu* each; some go to its pod set."""
    pod_set = {"name": "main", "count": count, "requests": {"gpu": gpu}}
    for key in ("min_count", "node_selector"):
        if key in more:
            pod_set[key] = more.pop(key)
    return {"tags": {"queue": queue}, "pod_sets": [pod_set], **more}


def sharing(*queues: FairQueue, **settings: Any) -> Policy:
    """Return a policy whose queues share nodes, for organizations of the native language."""
    return replace(shared_policy(queues, **settings), dialect="native")


def tree(leaf: str = "", *, partition: str = "", dev: str = "") -> dict[str, Any]:
    """Return the config of a leaf root.dev.a with *leaf*, and a leaf root.b."""
    text = (
        f"partitions: [{{name: default{partition}, queues: [{{name: root, submitacl: '*', queues: ["
        f"{{name: dev{dev}, queues: [{{name: a{leaf}}}]}}, {{name: b}}]}}]}}]\n"
    )
    return {"dialect": "yunikorn", "text": text}


def asks(
    cpu: int,
    count: int = 1,
    queue: str = "root.dev.a",
    min_count: int | None = None,
    node: str = "",
    **more: Any,
) -> dict[str, Any]:
    """Return a workload of *count* pods with *cpu* CPUs each; some start together, or on a node."""
    pod_set: dict[str, Any] = {"name": "main", "count": count, "requests": {"cpu": cpu}}
    if node:
        name = {"key": "metadata.name", "operator": "In", "values": [node]}
        pod_set["affinity"] = [{"matchFields": [name]}]
    if min_count is not None:
        pod_set["min_count"] = min_count
    return {"tags": {"queue": queue}, "pod_sets": [pod_set], **more}


def report_cpus(*cpus: int) -> Callable[[Actor], None]:
    """Return an action that reports the cluster ``east`` with nodes of *cpus*."""

    def report(actor: Actor) -> None:
        nodes = [{"name": f"n{at}", "allocatable": {"cpu": each}} for at, each in enumerate(cpus)]
        report_cluster(actor, "east", {"nodes": nodes})

    return report


def later(actor: Actor) -> None:
    """Run the engine, so that it runs again after a delay of a millisecond."""
    settled(actor.org)
    sleep(0.01)


def lose_a_node(actor: Actor) -> None:
    """Report the cluster of `run_story` without its second node."""
    report_nodes(actor, (1,))


def report_nodes(actor: Actor, gpus: tuple[int, ...]) -> None:
    """Report the cluster ``east`` with nodes of *gpus*."""
    nodes = [{"name": f"n{at}", "allocatable": {"gpu": count}} for at, count in enumerate(gpus)]
    report_cluster(actor, "east", {"nodes": nodes})


def leave_gaps(actor: Actor) -> None:
    """Finish a workload on each node, and submit one that needs a whole node."""
    names = Workload.objects.filter(org=actor.org, name__in=("w0", "w2"))
    finish_workloads(actor, names.values_list("uid", flat=True))
    settled(actor.org)
    submit_workloads(actor, read_submissions([{"name": "large", **pods("a", 2)}]))


GROUP = (
    ", resource_groups: [{covered_resources: [cpu], flavors: "
    "[{name: f, resources: [{name: cpu, nominal_quota: 4}]}]}]"
)
BARE: dict[str, Any] = {"requests": {"cpu": 1}}
WITHIN = ", preemption: {withinClusterQueue: LowerPriority}"
TEAM = ", cohort: team"
RECLAIMS = f"{TEAM}, preemption: {{reclaimWithinCohort: Any}}"
BORROWS = (
    f"{TEAM}, preemption: {{reclaimWithinCohort: LowerPriority, "
    "borrowWithinCohort: {policy: LowerPriority}}"
)
FAIR = (
    "{apiVersion: config.kueue.x-k8s.io/v1beta1, kind: Configuration, fairSharing: "
    "{enable: true, preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}}"
)
#: Settings of SkyShift's scheduler.
PLACES = "{kind: Scheduler, spec: {on_unplaceable: wait}}"
FAILS = "{kind: Scheduler, spec: {on_unplaceable: fail}}"
PLUGINS = "{kind: Scheduler, spec: {plugins: [DefaultPlugin, only-teams]}}"
HOLD_AND_DRAIN = ", stopPolicy: HoldAndDrain"

#: Settings of a queue that takes its guarantee back at once.
GUARANTEED = ", properties: {preemption.delay: 1ms}, resources: {guaranteed: {vcore: 2}}"


def limit(fields: str) -> str:
    """Return the limits of a queue."""
    return f", limits: [{{limit: x, {fields}}}]"


def lowering(resources: str) -> dict[str, Any]:
    """Return the config of a queue that stops pods above its maximum at once."""
    return tree(
        f", properties: {{quota.preemption.delay: 1ms}}, resources: {resources}",
        partition=", preemption: {quotapreemptionenabled: true}",
    )


STORIES: dict[Reason, Story] = {
    PLACED: Story(dialect="skyshift", text=PLACES, node=4, submits=[job(1)]),
    MOVED: Story(
        dialect="skyshift",
        text=PLACES,
        node=4,
        submits=[job(1)],
        act=lambda actor: move_cluster(actor, "west"),
    ),
    REPLICAS_LOST: Story(
        dialect="skyshift",
        text=PLACES,
        node=4,
        submits=[job(1)],
        act=lambda actor: delete_cluster(actor, "east"),
    ),
    NO_CLUSTER_READY: Story(dialect="skyshift", text=PLACES, submits=[job(1)]),
    NO_NODE_FITS: Story(dialect="skyshift", text=PLACES, node=4, submits=[job(3), job(2)]),
    REPLICAS_DO_NOT_FIT: Story(
        dialect="skyshift", text=PLACES, node=4, submits=[job(2), job(2, 2)]
    ),
    NO_CLUSTER_MATCHES: Story(
        dialect="skyshift",
        text=PLACES,
        node=4,
        submits=[
            {**job(1), "placement": {"filters": [{"name": "dev", "match_labels": {"a": "b"}}]}}
        ],
    ),
    EXCEEDS_EVERY_NODE: Story(dialect="skyshift", text=PLACES, node=4, submits=[job(5)]),
    EXCEEDS_ALL_CLUSTERS: Story(dialect="skyshift", text=PLACES, node=4, submits=[job(3, 2)]),
    NOT_PLACEABLE: Story(dialect="skyshift", text=FAILS, node=4, submits=[job(5)]),
    PLUGIN_FAILED: Story(dialect="skyshift", text=PLUGINS, node=4, submits=[job(1)]),
    REMOVED_BY_PLUGIN: Story(
        dialect="skyshift", text=PLUGINS, node=4, submits=[{**job(1), "tags": {"team": "red"}}]
    ),
    INVALID_PLACEMENT: Story(
        dialect="skyshift",
        text=PLACES,
        node=4,
        submits=[{**job(1), "placement": {"template": "gone"}}],
    ),
    shared.STARTED: Story(policy=sharing(fair("a")), gpus=(1,), submits=[pods("a")]),
    shared.GROWN: Story(
        policy=sharing(fair("a")),
        gpus=(1,),
        submits=[pods("a", count=2, min_count=1)],
        act=lambda actor: report_nodes(actor, (1, 1)),
    ),
    shared.PODS_LOST: Story(
        policy=sharing(fair("a")),
        gpus=(1, 1),
        submits=[pods("a", count=2, min_count=1)],
        act=lose_a_node,
    ),
    shared.OVER_LIMIT: Story(
        policy=sharing(fair("a", limit=1)), gpus=(4,), submits=[pods("a"), pods("a")]
    ),
    shared.NON_PREEMPTIBLE_OVER_QUOTA: Story(
        policy=sharing(fair("a", quota=1)),
        gpus=(2,),
        submits=[pods("a", priority=100), pods("a", priority=100)],
    ),
    shared.EXCEEDS_LIMIT: Story(
        policy=sharing(fair("a", limit=1)), gpus=(4,), submits=[pods("a", 2)]
    ),
    shared.EXCEEDS_QUOTA: Story(
        policy=sharing(fair("a")), gpus=(1,), submits=[pods("a", priority=100)]
    ),
    shared.EXCEEDS_NODES: Story(policy=sharing(fair("a")), gpus=(1,), submits=[pods("a", 2)]),
    shared.NO_NODE_MATCHES: Story(
        policy=sharing(fair("a")), gpus=(1,), submits=[pods("a", node_selector={"zone": "x"})]
    ),
    shared.NO_NODES: Story(policy=sharing(fair("a")), submits=[pods("a")]),
    shared.NO_NODE_HAS_ROOM: Story(
        policy=sharing(fair("a")), gpus=(1,), submits=[pods("a"), pods("a")]
    ),
    shared.GANG_HAS_NO_ROOM: Story(
        policy=sharing(fair("a")), gpus=(2,), submits=[pods("a"), pods("a", count=2)]
    ),
    shared.WAITS_FOR_STOPPING: Story(
        policy=sharing(fair("a", quota=1), fair("b")),
        gpus=(2,),
        submits=[pods("b", count=2, min_count=1), pods("a")],
    ),
    shared.QUEUE_HAS_CHILDREN: Story(
        policy=sharing(fair("lab"), fair("a", "lab")), gpus=(1,), submits=[pods("lab")]
    ),
    shared.UNSUPPORTED_REQUEST: Story(
        policy=sharing(fair("a")),
        gpus=(1,),
        submits=[{"tags": {"queue": "a"}, "requests": {"nvidia.com/mig-1g.5gb": 1}}],
    ),
    shared.RECLAIMED: Story(
        policy=sharing(fair("a", quota=1), fair("b")),
        gpus=(1,),
        submits=[pods("b"), pods("a")],
        which=0,
    ),
    shared.PREEMPTED: Story(
        policy=sharing(fair("a")),
        gpus=(1,),
        submits=[pods("a", priority=1), pods("a", priority=2)],
        which=0,
    ),
    shared.CONSOLIDATED: Story(
        policy=sharing(fair("a")),
        gpus=(2, 2),
        submits=[pods("a") for _ in range(4)],
        act=leave_gaps,
    ),
    shared.STALE_GANG: Story(
        policy=sharing(fair("a"), stale_grace=0),
        gpus=(1, 1),
        submits=[pods("a", count=2)],
        act=lose_a_node,
    ),
    hierarchy.STARTED: Story(**tree(), cpus=(4,), submits=[asks(1)]),
    hierarchy.GROWN: Story(**tree(), cpus=(4,), submits=[asks(3, count=2)], act=report_cpus(4, 4)),
    hierarchy.PODS_LOST: Story(
        **tree(), cpus=(4, 4), submits=[asks(3, count=2)], act=report_cpus(4)
    ),
    hierarchy.OVER_APPLICATIONS: Story(
        **tree(", maxapplications: 1"), cpus=(4,), submits=[asks(1), asks(1)]
    ),
    hierarchy.USER_OVER_APPLICATIONS: Story(
        **tree(limit("users: ['*'], maxapplications: 1")), cpus=(4,), submits=[asks(1), asks(1)]
    ),
    hierarchy.GROUP_OVER_APPLICATIONS: Story(
        **tree(limit("groups: [staff], maxapplications: 1")),
        cpus=(4,),
        submits=[asks(1, groups=["staff"]), asks(1, groups=["staff"])],
    ),
    hierarchy.USER_QUOTA: Story(
        **tree(limit("users: ['*'], maxresources: {vcore: 1}")),
        cpus=(4,),
        submits=[asks(1), asks(1)],
    ),
    hierarchy.GROUP_QUOTA: Story(
        **tree(limit("groups: [staff], maxresources: {vcore: 1}")),
        cpus=(4,),
        submits=[asks(1, groups=["staff"]), asks(1, groups=["staff"])],
    ),
    hierarchy.QUEUE_QUOTA: Story(
        **tree(", resources: {max: {vcore: 1}}"), cpus=(4,), submits=[asks(1), asks(1)]
    ),
    hierarchy.NO_NODES: Story(**tree(), submits=[asks(1)]),
    hierarchy.NO_NODE_HAS_ROOM: Story(**tree(), cpus=(3, 3), submits=[asks(2), asks(2), asks(2)]),
    hierarchy.EXCEEDS_MAXIMUM: Story(
        **tree(", resources: {max: {vcore: 1}}"), cpus=(4,), submits=[asks(2)]
    ),
    hierarchy.EXCEEDS_USER_LIMIT: Story(
        **tree(limit("users: ['*'], maxresources: {vcore: 1}")), cpus=(4,), submits=[asks(2)]
    ),
    hierarchy.EXCEEDS_GROUP_LIMIT: Story(
        **tree(limit("groups: [staff], maxresources: {vcore: 1}")),
        cpus=(4,),
        submits=[asks(2, groups=["staff"])],
    ),
    hierarchy.EXCEEDS_NODES: Story(**tree(), cpus=(2, 2), submits=[asks(3)]),
    hierarchy.NO_NODE_MATCHES: Story(**tree(), cpus=(2,), submits=[asks(1, node="gone")]),
    hierarchy.GANG_HAS_NO_ROOM: Story(
        **tree(), cpus=(3, 3), submits=[asks(2, count=3, min_count=3)]
    ),
    hierarchy.WAITS_FOR_STOPPING: Story(
        **tree(GUARANTEED),
        cpus=(4,),
        submits=[asks(2, count=2, queue="root.b"), asks(2)],
        act=later,
    ),
    hierarchy.PREEMPTED: Story(
        **tree(GUARANTEED),
        cpus=(4,),
        submits=[asks(2, queue="root.b"), asks(2, queue="root.b"), asks(2)],
        act=later,
        which=1,
    ),
    hierarchy.PREEMPTED_ON_NODE: Story(
        **tree(), cpus=(2, 4), submits=[asks(2), asks(1, node="n0")], which=0
    ),
    hierarchy.NOT_PLACED: Story(**tree(), cpus=(4,), submits=[asks(1, queue="root.nowhere")]),
    hierarchy.NOT_CREATED: Story(
        **tree(partition=", placementrules: [{name: provided, create: true}]"),
        cpus=(4,),
        submits=[asks(1, queue="root.new.@recovery@")],
    ),
    hierarchy.PLACEMENT_FAILED: Story(**tree(), cpus=(4,), submits=[asks(1, queue="root.b?d")]),
    hierarchy.GANG_TOO_LARGE: Story(
        **tree(", resources: {max: {vcore: 1}}"),
        cpus=(4,),
        submits=[asks(1, count=2, min_count=2)],
    ),
    hierarchy.UNSUPPORTED_REQUEST: Story(
        **tree(),
        cpus=(4,),
        submits=[asks(1, placement={"filters": [{"name": "eu", "match_labels": {"a": "b"}}]})],
    ),
    hierarchy.QUOTA_LOWERED: Story(
        **lowering("{}"),
        cpus=(4,),
        submits=[asks(2), asks(2)],
        then=lowering("{max: {vcore: 2}}")["text"],
        act=later,
        which=0,
    ),
    NO_RULES: Story(dialect="native", text="resource_queues: []\n", submits=[BARE]),
    PASSTHROUGH: Story(dialect="native", text=native(), submits=[BARE]),
    QUOTA_RESERVED: Story(text=kueue(queue_spec(4)), submits=[workload_body(1)]),
    NO_RULE_MATCHED: Story(
        dialect="native",
        text=native(rule="[{key: team, operator: in, values: [b]}]"),
        submits=[BARE],
    ),
    NO_FLAVOR_MATCHED: Story(dialect="native", text=native(GROUP), submits=[BARE]),
    LOCAL_QUEUE_MISSING: Story(text=kueue(queue_spec(4)), submits=[workload_body(1, "none")]),
    PRIORITY_CLASS_MISSING: Story(
        text=kueue(queue_spec(4)), submits=[workload_body(1, tags={CLASS: "none"})]
    ),
    NAMESPACE_NOT_ALLOWED: Story(
        text=kueue(queue_spec(4, takes="{matchLabels: {x: y}}")), submits=[workload_body(1)]
    ),
    QUEUE_STOPPED: Story(
        text=kueue(queue_spec(4, rest=", stopPolicy: Hold")), submits=[workload_body(1)]
    ),
    QUEUE_HELD: Story(
        text=kueue(queue_spec(1)),
        submits=[workload_body(1), workload_body(1)],
        act=lambda actor: hold_queue(actor, "cq0", "repairs"),
    ),
    EXCEEDS_MAX_QUOTA: Story(text=kueue(queue_spec(4)), submits=[workload_body(5)]),
    WAITING_FOR_QUOTA: Story(
        text=kueue(queue_spec(4)), submits=[workload_body(4), workload_body(1)]
    ),
    WAITING_FOR_PREEMPTED: Story(
        text=kueue(queue_spec(4, rest=WITHIN)),
        submits=[workload_body(4), workload_body(1, priority=9)],
    ),
    BEHIND_OTHERS: Story(
        text=kueue(queue_spec(4, rest=", queueingStrategy: StrictFIFO")),
        submits=[workload_body(3), workload_body(2), workload_body(1)],
    ),
    NOT_EVALUATED: Story(text=kueue(queue_spec(4)), submits=[workload_body(1)], is_decided=False),
    PREEMPTED_IN_QUEUE: Story(
        text=kueue(queue_spec(4, rest=WITHIN)),
        submits=[workload_body(4), workload_body(1, priority=9)],
        which=0,
    ),
    RECLAIMED_IN_COHORT: Story(
        text=kueue(queue_spec(4, rest=RECLAIMS), queue_spec(0, rest=TEAM)),
        submits=[workload_body(4, "lq1"), workload_body(2)],
        which=0,
    ),
    RECLAIMED_WHILE_BORROWING: Story(
        text=kueue(queue_spec(0, rest=BORROWS), queue_spec(0, rest=TEAM), queue_spec(4, rest=TEAM)),
        submits=[workload_body(4, "lq1"), workload_body(2, priority=9)],
        which=0,
    ),
    PREEMPTED_FOR_FAIR_SHARE: Story(
        text=kueue(
            queue_spec(2, rest=RECLAIMS),
            queue_spec(2, rest=RECLAIMS),
            queue_spec(2, rest=TEAM),
            more=FAIR,
        ),
        submits=[workload_body(3, "lq1"), workload_body(3, "lq1"), workload_body(3)],
        which=1,
    ),
    DEACTIVATED: Story(
        text=kueue(queue_spec(4)),
        submits=[workload_body(4), workload_body(1)],
        act=lambda owner: deactivate_workload(owner, Workload.objects.latest("pk").uid),
    ),
    DEACTIVATED_WHILE_RUNNING: Story(
        text=kueue(queue_spec(4)),
        submits=[workload_body(4)],
        act=lambda owner: deactivate_workload(owner, Workload.objects.latest("pk").uid),
    ),
    DRAINED: Story(
        text=kueue(queue_spec(4)),
        submits=[workload_body(1)],
        then=kueue(queue_spec(4, rest=HOLD_AND_DRAIN)),
    ),
}


#: Every dialect rejects a queue with an undefined flavor, a withdrawn workload keeps the reason of
#: its admission, and the policies above route by the label alone. A timeout of gangs, and a maximum
#: run time, take at least a second.
WITHOUT_STORY = {
    QUEUE_MISCONFIGURED,
    WITHDRAWN_WHILE_RUNNING,
    shared.QUEUE_MISSING,
    hierarchy.GANG_TIMEOUT,
    RUN_TIME_EXCEEDED,
    RUN_TIME_USED_UP,
}


def test_every_reason_has_its_story() -> None:
    assert STORIES.keys() | WITHOUT_STORY == set(registered_reasons())


@pytest.fixture
def _plugins() -> Iterator[None]:
    with installed({"only-teams": OnlyTeams()}):
        yield


@pytest.mark.usefixtures("_plugins")
@pytest.mark.parametrize("reason", STORIES)
def test_a_workload_with_this_reason_is_explained(
    reason: Reason,
    owner: Actor,
    settle: Settle,
    client_for: Callable[[Actor], Client],
    api_for: Callable[[Actor], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    story = STORIES[reason]
    if story.policy is not None:
        activate_policy(owner.org, story.policy, monkeypatch)
        Engine.objects.filter(org=owner.org).update(config_version=1)
    rows = run_story(story, owner, settle)
    uid = rows[story.which].uid
    api, pages = api_for(owner), client_for(owner)
    base = f"/api/v1/orgs/here/workloads/{uid}"
    assert api.get(base).json()["reason"]["code"] == reason
    explained = api.get(f"{base}/explanation").json()
    assert explained["reason"] == reason
    assert explained["headline"]
    page = f"/o/here/workloads/{uid}"
    assert explained["headline"] in read_page(pages.get(page)).text
    for part in ("trace", "changes", "compare"):
        assert pages.get(f"{page}/{part}").status_code == 200, part
    markdown = pages.get(page, {"as": "markdown"}).content.decode()
    assert explained["headline"] in markdown.replace("\\", "")


def move_cluster(actor: Actor, name: str) -> None:
    """Delete the cluster of `run_story`, and register another one of its size as *name*."""
    delete_cluster(actor, "east")
    report_cluster(actor, name, {"nodes": [{"name": "n1", "allocatable": {"cpu": 4}}]})


def run_story(story: Story, owner: Actor, settle: Settle) -> list[Workload]:
    """Run *story* and return its workloads."""
    if story.node is not None:
        nodes = [{"name": "n1", "allocatable": {"cpu": story.node}}]
        report_cluster(owner, "east", {"nodes": nodes})
    if story.gpus:
        report_nodes(owner, story.gpus)
    if story.cpus:
        report_cpus(*story.cpus)(owner)
    if story.policy is None:
        apply_config(owner, story.dialect, story.text, "", 0)
    settle(owner.org)
    rows = []
    for number, wish in enumerate(story.submits):
        rows += submit_workloads(owner, read_submissions([{"name": f"w{number}", **wish}]))
        if story.is_decided:
            settle(owner.org)
    if story.then:
        apply_config(owner, story.dialect, story.then, "", 1)
    if story.act is not None:
        story.act(owner)
    if story.is_decided:
        settle(owner.org)
    return rows
