"""Mixes of synthetic workloads, each for one example config, with some that cannot run."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of workload: its relative frequency and its request."""

    weight: int
    body: Callable[[random.Random], Body]


def _training(draw: random.Random) -> Body:
    gpus = draw.choice([2, 4, 4, 8, 8, 16])
    return {
        "name": "train",
        "type": "job",
        "project": "models",
        "tags": {"team": "research"},
        "accelerator_type": "A100",
        "market_type": "SPOT",
        "priority": draw.choice([10, 30, 50, 50, 70, 90]),
        "requests": {"gpu": gpus, "cpu": gpus * 8},
    }


def _evaluation(draw: random.Random) -> Body:
    gpus = draw.choice([1, 1, 2, 4])
    return {
        "name": "evaluate",
        "type": "job",
        "project": "models",
        "tags": {"team": "research"},
        "accelerator_type": draw.choice(["L4", "A10G"]),
        "market_type": "ON_DEMAND",
        "requests": {"gpu": gpus, "cpu": gpus * 8},
    }


def _priority_out_of_range(draw: random.Random) -> Body:
    return {**_training(draw), "name": "urgent", "priority": draw.choice([150, 1000])}


def _too_large(draw: random.Random) -> Body:
    return {**_training(draw), "name": "pretrain", "requests": {"gpu": 128, "cpu": 1024}}


def _untagged(draw: random.Random) -> Body:
    return {
        "name": draw.choice(["notebook", "dashboard"]),
        "type": draw.choice(["workspace", "service"]),
        "project": "analytics",
        "requests": {"cpu": draw.choice([2, 4, 8])},
    }


def _without_flavor(draw: random.Random) -> Body:
    """Return a workload that requires a reservation on an instance type without one."""
    return {
        "name": "reserved",
        "type": "job",
        "project": "platform",
        "tags": {"use-reservation": "true"},
        "instance_type": draw.choice(["m5.2xlarge", "g5.xlarge"]),
        "requests": {"gpu": 8, "cpu": 64},
    }


def _job(draw: random.Random, team: str, gpus: int, priority_class: str = "experiment") -> Body:
    """Return a job of the local queue `training` in the namespace of *team*."""
    return {
        "name": draw.choice(["train", "tune"]),
        "type": "job",
        "project": team,
        "namespace": team,
        "tags": {
            "team": team,
            "kueue.x-k8s.io/queue-name": "training",
            "kueue.x-k8s.io/priority-class": priority_class,
        },
        "requests": {"nvidia.com/gpu": gpus, "cpu": gpus * 8, "memory": gpus * 64 * 2**30},
    }


def _vision(draw: random.Random) -> Body:
    return _job(draw, "vision", draw.choice([2, 4, 4, 8]))


def _speech(draw: random.Random) -> Body:
    return _job(draw, "speech", draw.choice([1, 2, 2, 4]))


def _urgent(draw: random.Random) -> Body:
    """Return a job with a high priority, for which borrowed quota is reclaimed."""
    return {**_job(draw, "speech", 8, "production"), "name": "release"}


def _beyond_cohort(draw: random.Random) -> Body:
    return {**_job(draw, "vision", 64), "name": "pretrain"}


def _without_local_queue(draw: random.Random) -> Body:
    body = _job(draw, "speech", 1)
    return {**body, "tags": {**body["tags"], "kueue.x-k8s.io/queue-name": "trainning"}}


#: Kinds of workloads by mix: `priority` is for quota that one team shares by priority, `cohort` for
#: two teams that lend each other quota.
MIXES: Final[Mapping[str, Sequence[Kind]]] = {
    "priority": (
        Kind(50, _training),
        Kind(20, _evaluation),
        Kind(16, _untagged),
        Kind(5, _priority_out_of_range),
        Kind(5, _without_flavor),
        Kind(4, _too_large),
    ),
    "cohort": (
        Kind(46, _vision),
        Kind(34, _speech),
        Kind(10, _urgent),
        Kind(6, _without_local_queue),
        Kind(4, _beyond_cohort),
    ),
}


def workload(draw: random.Random, number: int, user: str, mix: str = "priority") -> Body:
    """Return the request body of a workload of *user*; the same draws give the same body."""
    kinds = MIXES[mix]
    kind = draw.choices(kinds, [kind.weight for kind in kinds])[0]
    body = kind.body(draw)
    return {**body, "name": f"{body['name']}-{number:05d}", "user": user}
