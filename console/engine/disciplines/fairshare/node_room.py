"""The room on one node: what is free now, and what will be when pods have stopped."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from console.engine.disciplines.fairshare.gangs import Pod
from console.engine.disciplines.fairshare.requests import GpuShare, Need, offered_amounts
from console.engine.disciplines.fairshare.resources import Amounts, PerResource
from console.engine.model.amounts import SCALE
from console.engine.model.inventory import Node

#: The label of a node with the memory of each of its devices, in MiB.
GPU_MEMORY_LABEL: Final = "nvidia.com/gpu.memory"

#: Bytes in a MiB.
_MIB: Final = 1024 * 1024

#: The memory of a device without that label, in bytes. Portions do not depend on it.
_UNKNOWN_MEMORY: Final = 100 * _MIB


class Device:
    """The shares of one device, in thousandths of a byte."""

    __slots__ = ("active", "arriving", "stopping")

    def __init__(self) -> None:
        #: Of running pods, of pods that have to stop, and of pods that will start then.
        self.active = self.stopping = self.arriving = 0


class Rooms(dict[str, "NodeRoom"]):
    """
    The rooms of all nodes by key, and those with free devices by their number.

    A pod that needs whole devices looks only at nodes with as many.
    """

    def __init__(self, rooms: Iterable[NodeRoom] = ()) -> None:
        super().__init__((each.key, each) for each in rooms)
        #: By number of devices that will be free, the keys of the nodes, sorted.
        self.by_free_gpus: dict[int, list[str]] = {}
        #: Keys of the nodes on which devices are shared.
        self.sharing: dict[str, None] = {}
        for each in self.values():
            each.rooms = self
            self.move(each, None)

    def move(self, room: NodeRoom, before: int | None) -> None:
        """Record that a node has another number of free devices than *before*."""
        if before is not None and before > 0:
            keys = self.by_free_gpus[before]
            del keys[bisect_left(keys, room.key)]
        if room.future_gpus > 0:
            insort(self.by_free_gpus.setdefault(room.future_gpus, []), room.key)

    def with_free_gpus(self, count: int) -> Iterator[NodeRoom]:
        """Yield the nodes that will have *count* free devices, those with the fewest first."""
        for number in sorted(self.by_free_gpus):
            if number >= count:
                for key in self.by_free_gpus[number]:
                    yield self[key]

    def fit(self, need: Need) -> bool:
        """Return whether a node has room for a pod when pods have stopped."""
        return any(True for _ in self.fitting(need))

    def fitting(self, need: Need) -> Iterator[str]:
        """Yield the nodes that have room for a pod when pods have stopped."""
        if need.gpus:
            candidates: Iterable[NodeRoom] = self.with_free_gpus(need.gpus)
        elif need.share is not None:
            candidates = self.candidates_for_share()
        else:
            candidates = self.values()
        return (each.key for each in candidates if each.fits_in_future(need))

    def candidates_for_share(self) -> Iterator[NodeRoom]:
        """Yield the nodes with shared or free devices."""
        for key in self.sharing:
            yield self[key]
        for room in self.with_free_gpus(1):
            if room.key not in self.sharing:
                yield room


class NodeRoom:
    """
    The free capacity of a node.

    *Idle* is what no pod uses. *Future* is what no pod will use when all pods have stopped that
    have to, and those have started that wait for this. A device with shares counts as used as a
    whole; what remains of it is for other shares.
    """

    def __init__(self, key: str, node: Node, *, accepts: bool = True) -> None:
        self.key = key
        self.node = node
        #: Whether it accepts further pods.
        self.accepts = accepts
        cpu, memory, gpu = offered_amounts(node.offered)
        self.capacity_cpu = self.idle_cpu = self.future_cpu = cpu
        self.capacity_memory = self.idle_memory = self.future_memory = memory
        self.gpus = self.idle_gpus = self.future_gpus = gpu // SCALE
        self.device_memory = memory_of_device(node)
        self._others = {
            name: [amount, amount]
            for name, amount in node.offered.items()
            if name not in ("cpu", "memory", "gpu", "nvidia.com/gpu")
        }
        #: Devices with shares, by number.
        self.devices: dict[int, Device] = {}
        #: The collection that it is part of.
        self.rooms: Rooms | None = None

    # Questions

    @property
    def capacity(self) -> Amounts:
        """What all of its pods may use together."""
        return PerResource(self.capacity_cpu, self.capacity_memory, self.gpus * SCALE)

    def fits_in_future(self, need: Need) -> bool:
        """Return whether a pod fits when the pods that have to stop have stopped."""
        if not self.accepts or need.cpu > self.future_cpu or need.memory > self.future_memory:
            return False
        if need.gpus > self.future_gpus:
            return False
        if need.others and not self._fits_others(need, 1):
            return False
        return need.share is None or self._fits_share(need.share, self.future_gpus)

    def fits_now(self, need: Need) -> bool:
        """Return whether a pod fits beside all pods that are on the node."""
        if need.cpu > self.idle_cpu or need.memory > self.idle_memory:
            return False
        if need.gpus > self.idle_gpus:
            return False
        if need.others and not self._fits_others(need, 0):
            return False
        return need.share is None or self._fits_share(need.share, self.idle_gpus)

    def shortages(self, need: Need) -> tuple[str, ...]:
        """Return the resources of which a pod would lack some now."""
        short = []
        if need.gpus > self.idle_gpus or (
            need.share is not None and not self._fits_share(need.share, self.idle_gpus)
        ):
            short.append("gpu")
        if need.cpu > self.idle_cpu:
            short.append("cpu")
        if need.memory > self.idle_memory:
            short.append("memory")
        short.extend(
            name for name, amount in need.others if amount > self._others.get(name, (0, 0))[0]
        )
        return tuple(short)

    def has_shared_device_for(self, need: Need) -> bool:
        """Return whether a device that others share already has room for a share."""
        return need.share is not None and any(True for _ in self._shareable(need.share))

    def choose_devices(
        self, share: GpuShare, preferred: tuple[int, ...], *, spread: bool
    ) -> tuple[int, ...] | None:
        """
        Return the devices for a share; None if there are too few.

        The ones with the largest used part come first, and whole ones last; with *spread* it is
        the other way around. *preferred* are the devices that the pod shared before it was
        evicted; of whole ones, these come first.
        """
        shared = sorted(
            self._shareable(share),
            key=lambda number: (
                -self._used(number) if not spread else self._used(number),
                number not in preferred,
                number,
            ),
        )
        whole = self._whole_devices(preferred)[: max(0, self.future_gpus)]
        order = [*whole, *shared] if spread else [*shared, *whole]
        return tuple(order[: share.devices]) if len(order) >= share.devices else None

    def is_free_now(self, share: GpuShare, number: int) -> bool:
        """Return whether a device has room for a share beside all pods that share it."""
        device = self.devices.get(number)
        if device is None:
            return self.idle_gpus >= 1
        size = share.of(self.device_memory)
        free = self.device_memory * SCALE - device.active - device.stopping
        return free >= size and device.active + device.stopping > 0

    def free_gpus(self) -> int:
        """Return the GPUs that no pod will use, shared ones in part, in thousandths."""
        whole = self.future_gpus * SCALE
        full = self.device_memory * SCALE
        for device in self.devices.values():
            used = device.active + device.arriving
            if used:
                whole += (full - used) * SCALE // full
        return whole

    # Changes

    def start(self, pod: Pod) -> None:
        """Let a pod use the node from now on."""
        self._count(pod, idle=-1, future=-1)
        self._share(pod, active=1)

    def stop(self, pod: Pod) -> None:
        """Undo `start`."""
        self._count(pod, idle=1, future=1)
        self._share(pod, active=-1)

    def evict(self, pod: Pod) -> None:
        """Record that a pod that uses the node has to stop."""
        self._count(pod, idle=0, future=1)
        self._share(pod, active=-1, stopping=1)

    def keep(self, pod: Pod) -> None:
        """Undo `evict`."""
        self._count(pod, idle=0, future=-1)
        self._share(pod, active=1, stopping=-1)

    def expect(self, pod: Pod) -> None:
        """Record that a pod starts here as soon as others have stopped."""
        self._count(pod, idle=0, future=-1)
        self._share(pod, arriving=1)

    def cancel(self, pod: Pod) -> None:
        """Undo `expect`."""
        self._count(pod, idle=0, future=1)
        self._share(pod, arriving=-1)

    # Internals

    def _count(self, pod: Pod, *, idle: int, future: int) -> None:
        need = pod.need
        self.idle_cpu += idle * need.cpu
        self.idle_memory += idle * need.memory
        self.idle_gpus += idle * need.gpus
        self.future_cpu += future * need.cpu
        self.future_memory += future * need.memory
        if need.gpus and future:
            self._change_free_gpus(future * need.gpus)
        for name, amount in need.others:
            free = self._others.setdefault(name, [0, 0])
            free[0] += idle * amount
            free[1] += future * amount

    def _share(self, pod: Pod, *, active: int = 0, stopping: int = 0, arriving: int = 0) -> None:
        share = pod.need.share
        if share is None:
            return
        size = share.of(self.device_memory)
        for number in pod.devices:
            device = self.devices.setdefault(number, Device())
            was_used = device.active + device.stopping > 0
            was_claimed = device.active + device.arriving > 0
            device.active += active * size
            device.stopping += stopping * size
            device.arriving += arriving * size
            is_used = device.active + device.stopping > 0
            is_claimed = device.active + device.arriving > 0
            self.idle_gpus += was_used - is_used
            if was_claimed != is_claimed:
                self._change_free_gpus(was_claimed - is_claimed)
            if not is_used and not is_claimed:
                del self.devices[number]
        if self.rooms is None:
            return
        if self.devices:
            self.rooms.sharing[self.key] = None
        else:
            self.rooms.sharing.pop(self.key, None)

    def _change_free_gpus(self, change: int) -> None:
        before = self.future_gpus
        self.future_gpus += change
        if self.rooms is not None:
            self.rooms.move(self, before)

    def _fits_others(self, need: Need, place: int) -> bool:
        return all(amount <= self._others.get(name, (0, 0))[place] for name, amount in need.others)

    def _fits_share(self, share: GpuShare, whole: int) -> bool:
        if share.of(self.device_memory) > self.device_memory * SCALE:
            return False
        if whole >= share.devices:
            return True
        return max(0, whole) + sum(1 for _ in self._shareable(share)) >= share.devices

    def _shareable(self, share: GpuShare) -> list[int]:
        """Return the devices with shares on which there will be room for another one."""
        size, full = share.of(self.device_memory), self.device_memory * SCALE
        return [
            number
            for number, each in self.devices.items()
            if 0 < each.active + each.arriving <= full - size
        ]

    def _whole_devices(self, preferred: tuple[int, ...]) -> list[int]:
        """Return the numbers of devices that no pod will use a share of."""
        claimed = {
            number for number, each in self.devices.items() if each.active + each.arriving > 0
        }
        free = [number for number in range(self.gpus) if number not in claimed]
        # One that no pod shares now can be used at once.
        return sorted(
            free, key=lambda number: (number not in preferred, number in self.devices, number)
        )

    def _used(self, number: int) -> int:
        device = self.devices[number]
        return device.active + device.stopping + device.arriving


def memory_of_device(node: Node) -> int:
    """Return the memory of each device of a node, in bytes."""
    stated = node.labels.get(GPU_MEMORY_LABEL, "")
    return int(stated) * _MIB if stated.isdecimal() and int(stated) else _UNKNOWN_MEMORY


def least_device_memory(nodes: Mapping[str, NodeRoom]) -> int:
    """Return the memory of the smallest device of all nodes, in bytes."""
    return min(
        (each.device_memory for each in nodes.values() if each.gpus), default=_UNKNOWN_MEMORY
    )
