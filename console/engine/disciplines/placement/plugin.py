"""
The interface of placement plugins: filter and score clusters, and spread replicas over them.

A package provides a plugin by an entry point of the group `sluice.placement_plugins`, and a config
lists it by the name of the entry point. The engine asks a plugin again only if an argument may
have changed, and takes its answers for the same in every process. So an answer may depend on
nothing but the arguments: no clock, chance, file, network or memory of earlier calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Final

from console.engine.disciplines.placement.fit import need_of, replicas_that_fit, score_of
from console.engine.disciplines.placement.spec import GpuRule, Placement


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One pod set of a job: equal replicas, all of which have to be placed."""

    pod_set: str = "main"
    replicas: int = 1
    #: What one replica requests, in thousandths by resource.
    requests: Mapping[str, int] = field(default_factory=dict)
    #: The labels of the job that `PlacementPlugin.job_labels` names, and perhaps others.
    labels: Mapping[str, str] = field(default_factory=dict)
    #: The filters and preferences of the job, completed by its template.
    placement: Placement = field(default_factory=Placement)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node that accepts pods."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    #: What the node offers to all pods together, in thousandths by resource; accelerators by model.
    offered: Mapping[str, int] = field(default_factory=dict)
    #: What running jobs leave of it; empty for a plugin without `reads_free`.
    free: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A cluster that is ready."""

    name: str
    #: Reported labels, overridden by those of the config.
    labels: Mapping[str, str] = field(default_factory=dict)
    #: In the order in which replicas fill them.
    nodes: tuple[Node, ...] = ()
    gpu_rule: GpuRule = GpuRule.INTENDED

    @property
    def capacity(self) -> Fraction:
        """The free capacity as DefaultPlugin counts it: CPUs, and each accelerator as ten."""
        return Fraction(sum(score_of(each.free) for each in self.nodes), 1000)

    def room(self, job: Job) -> int:
        """Return how many replicas of *job* fit on the free nodes, at most all of them."""
        need, left = need_of(job.requests), job.replicas
        for each in self.nodes:
            if not left:
                break
            left -= replicas_that_fit(need, each.free, self.gpu_rule, left)
        return job.replicas - left


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a cluster remains for a job, with the reason in one sentence for people."""

    keeps: bool
    sentence: str = ""


#: The verdict of a plugin that has nothing to say about a cluster.
KEEP: Final = Verdict(keeps=True)


def keep(sentence: str) -> Verdict:
    """Return the verdict that the cluster remains."""
    return Verdict(keeps=True, sentence=sentence)


def drop(sentence: str) -> Verdict:
    """Return the verdict that the cluster is removed."""
    return Verdict(keeps=False, sentence=sentence)


class PlacementPlugin:
    """
    Base class of plugins, which override at least one of `filter`, `score` and `spread`.

    The constructor has no arguments. One object serves all jobs, also in several threads. All
    arguments are immutable. A plugin that raises an exception, answers something else than
    documented or takes too long fails the placement of the job that it was asked about.
    """

    #: The keys of the labels of jobs that the answers depend on; others are not given.
    job_labels: ClassVar[tuple[str, ...]] = ()
    #: Whether filters and scores depend on free amounts. Plugins that state False get none, and
    #: cost less: waiting jobs are asked again only if capacity is released that may suffice.
    reads_free: ClassVar[bool] = True

    def filter(self, job: Job, cluster: Cluster) -> Verdict:
        """Return whether *cluster* remains for *job*: `KEEP`, `keep(...)` or `drop(...)`."""
        return KEEP

    def score(self, job: Job, cluster: Cluster) -> int | Fraction | None:
        """Return the score of a cluster that remains, more is better; None: no opinion."""
        return None

    def spread(self, job: Job, clusters: tuple[Cluster, ...]) -> Mapping[str, int]:
        """
        Return the number of replicas by name of cluster; the first plugin of a config is asked.

        *clusters* are those that remain, the best first. Each takes at most `Cluster.room`. If
        the sum is less than all replicas, the job waits.
        """
        raise NotImplementedError
