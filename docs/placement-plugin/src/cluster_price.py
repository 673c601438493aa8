"""Two placement plugins: the cheapest clusters first, and an even spread over clusters."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from console.engine.disciplines.placement.plugin import (
    KEEP,
    Cluster,
    Job,
    PlacementPlugin,
    Verdict,
    drop,
    keep,
)


class ClusterPrice(PlacementPlugin):
    """Compares the label `price` of clusters with the label `max-price` of jobs."""

    job_labels = ("max-price",)
    # Prices are labels, so free amounts do not matter.
    reads_free = False

    def filter(self, job: Job, cluster: Cluster) -> Verdict:
        """Remove clusters without a price, or with a higher one than the job accepts."""
        if "max-price" not in job.labels:
            return KEEP
        most = Fraction(job.labels["max-price"])
        if "price" not in cluster.labels:
            return drop("It has no price, and the job has a max-price.")
        price = Fraction(cluster.labels["price"])
        if price > most:
            return drop(f"It costs {price}, but the job accepts at most {most}.")
        return keep(f"It costs {price}.")

    def score(self, job: Job, cluster: Cluster) -> Fraction | None:
        """Prefer cheap clusters: 100 for a price of 1, 50 for a price of 2."""
        if "price" not in cluster.labels:
            return None
        return 100 / Fraction(cluster.labels["price"])


class EvenSpread(PlacementPlugin):
    """Puts the same number of replicas on each cluster, as far as they have room."""

    def spread(self, job: Job, clusters: tuple[Cluster, ...]) -> Mapping[str, int]:
        """Hand out the replicas one by one to the cluster with the fewest."""
        room = {each.name: each.room(job) for each in clusters}
        replicas = dict.fromkeys(room, 0)
        for _ in range(job.replicas):
            open_clusters = [name for name in room if replicas[name] < room[name]]
            if not open_clusters:
                break
            replicas[min(open_clusters, key=replicas.__getitem__)] += 1
        return replicas
