"""What one pod requests: amounts that queues count, and what it needs of a node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from console.engine.disciplines.fairshare.resources import Amounts, PerResource
from console.engine.model.amounts import SCALE

#: Names of GPUs in workloads and nodes.
GPU_NAMES: Final = ("gpu", "nvidia.com/gpu")

#: Bytes of the memory of one device that a share of it gets.
GPU_MEMORY: Final = "gpu-memory"

#: The number of devices of which a pod gets shares of the same size.
GPU_DEVICES: Final = "gpu-devices"


@dataclass(frozen=True, slots=True)
class GpuShare:
    """Shares of the same size of one or more devices of a node."""

    devices: int = 1
    #: Thousandths of a device; None: the share is stated as memory.
    portion: int | None = None
    #: Thousandths of a byte.
    memory: int = 0

    def of(self, device_memory: int) -> int:
        """Return its size on a device with *device_memory* bytes, in thousandths of a byte."""
        return self.memory if self.portion is None else self.portion * device_memory


@dataclass(frozen=True, slots=True)
class Need:
    """What one pod needs of a node."""

    #: Thousandths of a core and of a byte.
    cpu: int = 0
    memory: int = 0
    #: Whole devices.
    gpus: int = 0
    share: GpuShare | None = None
    #: Amounts of any other resource, in thousandths, sorted by name.
    others: tuple[tuple[str, int], ...] = ()

    @property
    def is_cpu_only(self) -> bool:
        """Whether it needs no GPU."""
        return not self.gpus and self.share is None

    @property
    def is_nothing(self) -> bool:
        """Whether it needs nothing that a node can run out of."""
        return not (self.cpu or self.memory or self.gpus or self.share or self.others)

    def amounts(self, least_device_memory: int) -> Amounts:
        """
        Return what queues count for the pod.

        A share stated as memory counts as the part of the device with the least memory of all
        nodes, *least_device_memory* bytes.
        """
        gpu = self.gpus * SCALE
        if self.share is not None:
            portion = self.share.portion
            if portion is None:
                portion = -(-self.share.memory // least_device_memory) if least_device_memory else 0
            gpu += self.share.devices * portion
        return PerResource(self.cpu, self.memory, gpu)


def need_of(requests: Mapping[str, int]) -> Need:
    """
    Return what a pod with *requests*, in thousandths by resource, needs of a node.

    A share of several devices requests the sum of their parts as GPUs.

    >>> need_of({"cpu": 500, "nvidia.com/gpu": 2000}).gpus
    2
    >>> need_of({"gpu": 500}).share
    GpuShare(devices=1, portion=500, memory=0)
    >>> need_of({"gpu": 1000, "gpu-devices": 2000}).share
    GpuShare(devices=2, portion=500, memory=0)
    """
    return _need_of(tuple(sorted(requests.items())))


@lru_cache(maxsize=50_000)
def _need_of(requests: tuple[tuple[str, int], ...]) -> Need:
    cpu = memory = gpu = share_memory = 0
    devices = 1
    others = []
    for name, amount in requests:
        if name == "cpu":
            cpu = amount
        elif name == "memory":
            memory = amount
        elif name in GPU_NAMES:
            gpu += amount
        elif name == GPU_MEMORY:
            share_memory = amount
        elif name == GPU_DEVICES:
            devices = max(1, amount // SCALE)
        elif amount:
            others.append((name, amount))
    share = None
    if share_memory:
        share = GpuShare(devices=devices, memory=share_memory)
    elif gpu % SCALE or (devices > 1 and gpu < devices * SCALE):
        share = GpuShare(devices=devices, portion=gpu // devices)
    gpus = gpu // SCALE if share is None else 0
    return Need(cpu=cpu, memory=memory, gpus=gpus, share=share, others=tuple(others))


def offered_amounts(offered: Mapping[str, int]) -> Amounts:
    """Return the CPU, memory and GPUs among the amounts that a node offers."""
    gpu = next((offered[name] for name in reversed(GPU_NAMES) if name in offered), 0)
    return PerResource(offered.get("cpu", 0), offered.get("memory", 0), gpu)
