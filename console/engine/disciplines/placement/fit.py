"""
Fit of replicas on one node: what it requests, what the node offers, and how many fit (spec 3.3).

A replica never spans nodes. Accelerators are requested by model, or as ``gpus`` of any model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from console.engine.disciplines.placement.spec import GpuRule

#: Accelerators of any model, or of a model that is not known.
GPUS: Final = "gpus"

#: Names of the same resources in SkyShift's manifests and in reports of clusters.
_ALIASES: Final = {"cpus": "cpu", "disk": "ephemeral-storage"}

#: Names under which device plugins and Slurm report accelerators without a model.
_GENERIC: Final = ("nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu")

#: Before the model in the names of Slurm, whose amounts are part of the generic one.
_TYPED: Final = "gpu:"

#: A model in the name of a product, such as ``NVIDIA-A100-SXM4-40GB``.
_MODEL: Final = re.compile(r"[A-Z]{1,3}[0-9]{1,4}[A-Z]?")

#: Labels of nodes with the model of their accelerators, as device plugins and clouds set them.
_MODEL_LABELS: Final = (
    "nvidia.com/gpu.product",
    "cloud.google.com/gke-accelerator",
    "skyshift.accelerator",
    "gpu.nvidia.com/model",
    "amd.com/gpu.product-name",
)

_ORDINARY: Final = frozenset({"cpu", "memory", "ephemeral-storage", "pods"})


class Need(NamedTuple):
    """The request of one replica."""

    #: Amounts in thousandths without zeros, sorted by resource.
    amounts: tuple[tuple[str, int], ...]
    #: The requested accelerators of all models together.
    devices: int


@cache
def is_device(resource: str) -> bool:
    """Return whether *resource* counts accelerators, generic ones included."""
    return (
        resource not in _ORDINARY and "/" not in resource and not resource.startswith("hugepages-")
    )


def need_of(requests: Mapping[str, int]) -> Need:
    """
    Return the request of one replica in the names of the inventory, without zeros.

    >>> need_of({"memory": 0, "cpus": 2000, "nvidia.com/gpu": 1000})
    Need(amounts=(('cpu', 2000), ('gpus', 1000)), devices=1000)
    """
    amounts = tuple(sorted((_name(key), amount) for key, amount in requests.items() if amount))
    return Need(amounts, sum(amount for resource, amount in amounts if is_device(resource)))


def amounts_of(offered: Mapping[str, int], labels: Mapping[str, str]) -> dict[str, int]:
    """
    Return what a node offers, with accelerators by model if a label of the node says it.

    >>> product = {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB"}
    >>> amounts_of({"cpu": 8000, "nvidia.com/gpu": 4000}, product)
    {'cpu': 8000, 'A100': 4000}

    Slurm reports the sum of all models, and each of them.

    >>> amounts_of({"gpu": 6000, "gpu:a100": 4000}, {})
    {'gpus': 2000, 'A100': 4000}
    """
    model = next((_model_of(labels[key]) for key in _MODEL_LABELS if key in labels), GPUS)
    typed = sum(amount for name, amount in offered.items() if name.startswith(_TYPED))
    amounts: dict[str, int] = {}
    for resource, amount in offered.items():
        name, rest = _name(resource), amount
        if resource in _GENERIC:
            name, rest = model, amount - typed
        if rest or not amount:
            amounts[name] = amounts.get(name, 0) + rest
    return amounts


def free_amounts(
    offered: Mapping[str, int], used: Mapping[str, int], rule: GpuRule
) -> dict[str, int]:
    """
    Return what is left of *offered*, as `amounts_of` returns it, when pods use *used*.

    Accelerators of any model are counted under their own name, which is negative on a node that
    offers only named ones. SkyShift counts only what the node offers under the same name.

    >>> free_amounts({"cpu": 8, "A100": 4}, {"cpu": 2, "nvidia.com/gpu": 3}, GpuRule.INTENDED)
    {'cpu': 6, 'A100': 4, 'gpus': -3}
    """
    free = dict(offered)
    for resource, amount in used.items():
        name = _name(resource)
        if name in free:
            free[name] -= amount
        elif name == GPUS and rule is GpuRule.INTENDED:
            free[name] = -amount
    return free


def score_of(free: Mapping[str, int]) -> int:
    """Return the capacity score of a node in thousandths: CPUs, and each accelerator as ten."""
    return sum(
        amount if resource == "cpu" else 10 * amount
        for resource, amount in free.items()
        if resource == "cpu" or is_device(resource)
    )


def replicas_that_fit(need: Need, free: Mapping[str, int], rule: GpuRule, most: int) -> int:
    """Return how many replicas of *need* fit on a node with *free* amounts, at most *most*."""
    devices = need.devices
    if devices and rule is GpuRule.SKYSHIFT_HEAD and any(each[0] == GPUS for each in need.amounts):
        return _as_skyshift(need, free, most)
    fitting = most
    for resource, amount in need.amounts:
        if resource == GPUS:
            continue
        left = free.get(resource)
        if left is None or left < amount:
            return 0
        if left < amount * fitting:
            fitting = left // amount
    if devices:
        # Generic requests use accelerators of any model, and so count against every model.
        fitting = max(0, min(fitting, _devices(free) // devices))
    return fitting


def lacking(need: Need, free: Mapping[str, int], rule: GpuRule) -> dict[str, int]:
    """Return what a node lacks for one replica, in thousandths by resource; empty if it fits."""
    if replicas_that_fit(need, free, rule, 1):
        return {}
    lacks = {}
    for resource, amount in need.amounts:
        if resource == GPUS and rule is GpuRule.INTENDED:
            continue
        short = amount - max(0, free.get(resource, 0))
        if short > 0:
            lacks[resource] = short
    devices = max(0, _devices(free))
    if rule is GpuRule.INTENDED and need.devices > devices and not lacks:
        lacks[GPUS] = need.devices - devices
    return lacks


def _as_skyshift(need: Need, free: Mapping[str, int], most: int) -> int:
    """
    Put replicas on the node one by one, because each may change how ``gpus`` is compared.

    The request for ``gpus`` is dropped if it exceeds the named accelerators that are left.
    """
    left = dict(free)
    for placed in range(most):
        named = sum(amount for each, amount in left.items() if each != GPUS and _is_named(each))
        compared = [each for each in need.amounts if each[0] != GPUS or each[1] <= named]
        if not compared:
            return most
        if any(resource not in left or left[resource] < amount for resource, amount in compared):
            return placed
        for resource, amount in need.amounts:
            if resource in left:
                left[resource] -= amount
    return most


def _is_named(resource: str) -> bool:
    """Return whether SkyShift finds *resource* by the name of its accelerator: without spaces."""
    return is_device(resource) and resource.isidentifier()


def _devices(free: Mapping[str, int]) -> int:
    return sum(amount for resource, amount in free.items() if is_device(resource))


def _name(resource: str) -> str:
    if resource in _GENERIC:
        return GPUS
    if resource.startswith(_TYPED):
        return resource.removeprefix(_TYPED).upper()
    return _ALIASES.get(resource, resource)


def _model_of(product: str) -> str:
    """Return the model in the name of a product, or the whole name if it has none."""
    words = re.split(r"[-_ ]", product)
    return next((word.upper() for word in words if _MODEL.fullmatch(word.upper())), product)
