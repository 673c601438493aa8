"""Tests of the plugins: they get a job and clusters, and need neither Sluice nor a database."""

from __future__ import annotations

from fractions import Fraction

import pytest
from cluster_price import ClusterPrice, EvenSpread

from console.engine.disciplines.placement.plugin import (
    KEEP,
    Cluster,
    Job,
    Node,
    Verdict,
    drop,
    keep,
)


@pytest.mark.parametrize(
    ("job_labels", "cluster_labels", "verdict"),
    [
        ({}, {"price": "9"}, KEEP),
        ({"max-price": "2"}, {"price": "1.5"}, keep("It costs 3/2.")),
        ({"max-price": "2"}, {"price": "3"}, drop("It costs 3, but the job accepts at most 2.")),
        ({"max-price": "2"}, {}, drop("It has no price, and the job has a max-price.")),
    ],
)
def test_filter(
    job_labels: dict[str, str], cluster_labels: dict[str, str], verdict: Verdict
) -> None:
    """Prices are compared exactly, and the sentence names both."""
    job, cluster = Job(labels=job_labels), Cluster(name="a", labels=cluster_labels)
    assert ClusterPrice().filter(job, cluster) == verdict


def test_score() -> None:
    """The score is a ratio; a cluster without a price has none."""
    cheap, unknown = Cluster(name="a", labels={"price": "8"}), Cluster(name="b")
    assert ClusterPrice().score(Job(), cheap) == Fraction(25, 2)
    assert ClusterPrice().score(Job(), unknown) is None


def cluster(name: str, cpus: int) -> Cluster:
    """Return a cluster of one node; amounts are in thousandths."""
    return Cluster(name=name, nodes=(Node(name="n1", free={"cpu": cpus * 1000}),))


def test_spread() -> None:
    """A small cluster takes what fits, and the others the rest."""
    clusters = (cluster("a", 8), cluster("b", 1), cluster("c", 8))
    job = Job(replicas=6, requests={"cpu": 1000})
    assert EvenSpread().spread(job, clusters) == {"a": 3, "b": 1, "c": 2}
