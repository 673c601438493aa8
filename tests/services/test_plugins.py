"""Plugins in admission: a missing one, and one that does not return, cost only their decisions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.engine.disciplines.placement.plugin import KEEP, Cluster, Job, PlacementPlugin, Verdict
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.plugin_guard import PluginGuard
from console.policies import queries
from console.workloads.models import Decision, State, Workload
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.engine.placement.plugins import installed


class KeepsAll(PlacementPlugin):
    """A filter."""

    def filter(self, job: Job, cluster: Cluster) -> Verdict:
        """Keep every cluster."""
        return KEEP


class HangsForOne(PlacementPlugin):
    """A filter that does not return for jobs of the team red, and catches what it can."""

    job_labels = ("team",)

    def filter(self, job: Job, cluster: Cluster) -> Verdict:
        """Keep every cluster, sooner or later."""
        while job.labels.get("team") == "red":
            with suppress(Exception):
                sum(range(1000))
        return KEEP


def submit(owner: Actor, name: str, team: str = "blue") -> None:
    wish = {"name": name, "requests": {"cpu": 1}, "tags": {"team": team}}
    submit_workloads(owner, read_submissions([wish]))


def test_jobs_wait_for_a_plugin_that_was_removed_and_start_when_it_is_back(
    owner: Actor, settle: Callable[[Organization], int]
) -> None:
    report_cluster(owner, "east", {"nodes": [{"name": "n1", "allocatable": {"cpu": 4}}]})
    text = "{kind: Scheduler, spec: {plugins: [DefaultPlugin, keeps-all]}}"
    with installed({"keeps-all": KeepsAll()}):
        apply_config(owner, "skyshift", text, "", 0)
        submit(owner, "first")
        settle(owner.org)
    restart()
    with installed({}):
        submit(owner, "second")
        settle(owner.org)
        states = {each.name: (each.state, each.reason) for each in Workload.objects.all()}
        assert states == {
            "first": (State.ADMITTED, "placed"),
            "second": (State.PENDING, "plugin_failed"),
        }
    restart()
    with installed({"keeps-all": KeepsAll()}):
        submit(owner, "third")
        settle(owner.org)
        states = {each.name: each.state for each in Workload.objects.all()}
        assert states == dict.fromkeys(("first", "second", "third"), State.ADMITTED)


def test_plugin_that_does_not_return_fails_its_job_and_the_others_are_placed(
    owner: Actor, settle: Callable[[Organization], int]
) -> None:
    report_cluster(owner, "east", {"nodes": [{"name": "n1", "allocatable": {"cpu": 4}}]})
    text = "{kind: Scheduler, spec: {plugins: [DefaultPlugin, hangs]}}"
    with installed({"hangs": HangsForOne()}, guard=PluginGuard(limit=0.1)):
        apply_config(owner, "skyshift", text, "", 0)
        for name, team in (("first", "blue"), ("second", "red"), ("third", "blue")):
            submit(owner, name, team)
        settle(owner.org)
    states = {each.name: (each.state, each.reason) for each in Workload.objects.all()}
    assert states == {
        "first": (State.ADMITTED, "placed"),
        "second": (State.PENDING, "plugin_failed"),
        "third": (State.ADMITTED, "placed"),
    }
    decision = Decision.objects.filter(workload__name="second").latest("pk")
    (pod_set,) = decision.trace["sections"]["placement"]["pod_sets"]
    assert pod_set["failure"] == {"plugin": "hangs", "sentence": "It took longer than 0.1 s."}


def restart() -> None:
    """Forget what a process remembers."""
    forget_states()
    queries._compile.cache_clear()
