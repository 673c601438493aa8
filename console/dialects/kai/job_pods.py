"""Pods of manifests: what they request, where they may run, and shares of GPUs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from console.dialects.codes import NOT_A_LIST, NOT_A_MAPPING
from console.dialects.fields import Fields, Shape
from console.dialects.findings import Place
from console.dialects.kai.codes import BAD_QUANTITY
from console.dialects.kai.job_codes import BAD_GPU_SHARE, NOT_SUPPORTED
from console.dialects.nodes import ListNode, MapNode, ScalarNode, UnreadNode
from console.dialects.opaque import to_json
from console.dialects.quantity import amount_of, suggest_quantities
from console.dialects.repairs import replace
from console.dialects.wording import shorten
from console.dialects.written import Written
from console.engine.disciplines.fairshare.requests import GPU_DEVICES, GPU_MEMORY, GPU_NAMES
from console.engine.model.amounts import SCALE, Unlimited, amount_to_number

FRACTION: Final = "gpu-fraction"
MEMORY: Final = "gpu-memory"
DEVICES: Final = "gpu-fraction-num-devices"

_MIG: Final = "nvidia.com/mig-"
_MEBIBYTE: Final = 2**20
_FRACTION = re.compile(r"0?\.[0-9]{1,30}")
_WHOLE = re.compile(r"[1-9][0-9]{0,8}")
_FORM_OF_FRACTION: Final = "a number above 0 and below 1 with at most three decimals"


@dataclass(frozen=True, slots=True)
class PodDoc:
    """The part of a pod that matters for its place."""

    place: Place
    #: Thousandths by resource.
    requests: Mapping[str, int]
    #: The fields of a pod set that choose nodes, as JSON values.
    constraints: Mapping[str, Any]

    @property
    def key(self) -> str:
        """Equal for pods that can be in one pod set."""
        return json.dumps([self.requests, self.constraints], sort_keys=True)

    def fields(self) -> dict[str, Any]:
        """Return the fields of a pod set of such pods, besides its name and counts."""
        requests = {name: amount_to_number(each) for name, each in self.requests.items()}
        return {"requests": requests, **self.constraints}


def nested(fields: Fields, *keys: str) -> Fields | None:
    """Return a mapping with arbitrary fields inside others; None if one of them is absent."""
    found: Fields | None = fields
    for key in keys:
        own = None if found is None else found.mapping_of_any(key)
        found = None if own is None else own[0]
    return found


def texts_of(fields: Fields | None, key: str) -> dict[str, Written[str]]:
    """Return the valid texts of a mapping, by key."""
    read = None if fields is None else fields.texts_by_key(key, f"a value of {key}")
    pairs = read.value if isinstance(read, Written) else ()
    return {name.value: text for name, text in pairs if isinstance(text, Written)}


def items_of(fields: Fields, key: str) -> Iterator[Fields]:
    """Yield the mappings of a list, which may be absent, with arbitrary fields."""
    node, at = fields.node(key), fields.key_place(key)
    if node is None or at is None or isinstance(node, UnreadNode):
        return
    if not isinstance(node, ListNode):
        place = Place(node.start, node.end, at.path)
        fields.findings.add(NOT_A_LIST, place, f"{key} must be a list.")
        return
    for index, item in enumerate(node.items):
        path = f"{at.path}[{index}]"
        if isinstance(item, MapNode):
            yield Fields(item, path, Shape(key, ()), fields.findings, takes_any=True)
        elif not isinstance(item, UnreadNode):
            place = Place(item.start, item.end, path)
            fields.findings.add(NOT_A_MAPPING, place, f"An item of {key} must be a mapping.")


def refuse(fields: Fields, key: str, what: str, hint: str) -> None:
    """Report a field of something that is not supported, if it is there and not empty."""
    place, node = fields.key_place(key), fields.node(key)
    if place is not None and node is not None and to_json(node) not in ({}, []):
        fields.findings.add(NOT_SUPPORTED, place, f"{what} are not supported.", hint)


def read_pod(pod: Fields) -> PodDoc:
    """Read the metadata and spec of a pod, or of the template of pods."""
    metadata, spec = nested(pod, "metadata"), nested(pod, "spec")
    requests = _requests(spec) if spec is not None else {}
    requests |= _share(texts_of(metadata, "annotations"), requests, pod)
    return PodDoc(
        place=pod.key_place("spec") or pod.place,
        requests={name: amount for name, amount in sorted(requests.items()) if amount},
        constraints=_constraints(spec) if spec is not None else {},
    )


def _requests(spec: Fields) -> dict[str, int]:
    """Return what Kubernetes reserves for the containers of a pod, in thousandths."""
    refuse(spec, "resourceClaims", "Device claims", "Request GPUs as nvidia.com/gpu.")
    running = _sum(map(_container, items_of(spec, "containers")))
    first: dict[str, int] = {}
    for each in items_of(spec, "initContainers"):
        requests, restart = _container(each), each.node("restartPolicy")
        if isinstance(restart, ScalarNode) and restart.text == "Always":
            # It runs beside the containers.
            running = _sum((running, requests))
        else:
            first = _most(first, requests)
    return _sum((_most(running, first), _quantities(spec, "overhead")))


def _most(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, int]:
    names = left.keys() | right.keys()
    return {name: max(left.get(name, 0), right.get(name, 0)) for name in names}


def _sum(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, amount in part.items():
            total[name] = total.get(name, 0) + amount
    return total


def _container(container: Fields) -> dict[str, int]:
    """Return the requests of a container; a limit stands for a request that is absent."""
    resources = nested(container, "resources")
    if resources is None:
        return {}
    refuse(resources, "claims", "Device claims", "Request GPUs as nvidia.com/gpu.")
    return _quantities(resources, "limits") | _quantities(resources, "requests")


def _quantities(fields: Fields, key: str) -> dict[str, int]:
    read = fields.mapping_of_any(key)
    found: dict[str, int] = {}
    for resource in read[1] if read is not None else ():
        amount = _quantity(read[0], resource) if read is not None else None
        if amount is not None:
            found[resource] = amount
    return found


def _quantity(fields: Fields, resource: str) -> int | None:
    node, at = fields.node(resource), fields.key_place(resource)
    if node is None or at is None or isinstance(node, UnreadNode):
        return None
    if resource.startswith(_MIG):
        fields.findings.add(
            NOT_SUPPORTED,
            at,
            f"{shorten(resource)}: slices of devices (MIG) are not supported.",
            f"Request a part of a GPU with the annotation {FRACTION}.",
        )
        return None
    place = Place(node.start, node.end, at.path)
    text = node.text if isinstance(node, ScalarNode) else ""
    try:
        amount = amount_of(text, resource)
    except ValueError:
        amount = -1
    if not isinstance(amount, Unlimited) and amount >= 0:
        return amount
    fields.findings.add(
        BAD_QUANTITY,
        place,
        f'{shorten(resource)}: "{shorten(text)}" is not a quantity of 0 or more.',
        "Write it like 64, 500m or 256Gi.",
        tuple(replace(place, each) for each in suggest_quantities(text)),
    )
    return None


def _share(
    annotations: Mapping[str, Written[str]], requests: Mapping[str, int], pod: Fields
) -> dict[str, int]:
    """Return the requests for shares of GPUs that annotations state."""
    fraction, memory = annotations.get(FRACTION), annotations.get(MEMORY)
    number = annotations.get(DEVICES)
    share = fraction or memory
    if share is None:
        if number is not None:
            message = f"{DEVICES} has no effect without {FRACTION} or {MEMORY}."
            pod.findings.add(BAD_GPU_SHARE, number.place, message, "Add one of them.")
        return {}
    if fraction is not None and memory is not None:
        message = f"{FRACTION} and {MEMORY} are stated together."
        pod.findings.add(BAD_GPU_SHARE, memory.place, message, "Remove one of them.")
        return {}
    if any(requests.get(name) for name in GPU_NAMES):
        name = FRACTION if fraction is not None else MEMORY
        message = f"{name} is stated for a pod that also requests whole GPUs."
        pod.findings.add(BAD_GPU_SHARE, share.place, message, "Remove one of the two.")
        return {}
    devices = 1 if number is None else _whole(number, DEVICES, pod)
    found: dict[str, int] = {} if devices == 1 else {GPU_DEVICES: devices * SCALE}
    if fraction is not None:
        return found | {GPU_NAMES[0]: _portion(fraction, pod) * devices}
    assert memory is not None
    return found | {GPU_MEMORY: _whole(memory, MEMORY, pod) * _MEBIBYTE * SCALE}


def _portion(text: Written[str], pod: Fields) -> int:
    """Return thousandths of a device; 0 if it is invalid."""
    portion = Fraction(text.value) * SCALE if _FRACTION.fullmatch(text.value) else Fraction(0)
    if portion and portion.denominator == 1:
        return int(portion)
    message = f'{FRACTION}: "{shorten(text.value)}" is not {_FORM_OF_FRACTION}.'
    pod.findings.add(BAD_GPU_SHARE, text.place, message, 'Write it like "0.5".')
    return 0


def _whole(text: Written[str], name: str, pod: Fields) -> int:
    """Return a whole number of 1 or more; 1 if it is invalid."""
    if _WHOLE.fullmatch(text.value):
        return int(text.value)
    message = f'{name}: "{shorten(text.value)}" is not a whole number of 1 or more.'
    pod.findings.add(BAD_GPU_SHARE, text.place, message, 'Write it like "2".')
    return 1


def _constraints(spec: Fields) -> dict[str, Any]:
    """Return the node constraints of a pod as fields of a pod set."""
    found: dict[str, Any] = {}
    selector = texts_of(spec, "nodeSelector")
    if selector:
        found["node_selector"] = {key: each.value for key, each in selector.items()}
    affinity = nested(spec, "affinity")
    if affinity is not None:
        for key in ("podAffinity", "podAntiAffinity"):
            hint = "Constrain the nodes with node labels and nodeAffinity."
            refuse(affinity, key, "Rules about other pods", hint)
        required = nested(
            affinity, "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"
        )
        if required is not None:
            terms = [_term(each) for each in items_of(required, "nodeSelectorTerms")]
            found |= {"affinity": terms} if terms else {}
    tolerations = spec.node("tolerations")
    if isinstance(tolerations, ListNode) and tolerations.items:
        found["tolerations"] = [_toleration(to_json(each)) for each in tolerations.items]
    return found


def _term(term: Fields) -> dict[str, Any]:
    refuse(term, "matchFields", "Conditions on fields of nodes", "Use the labels of nodes.")
    node = term.node("matchExpressions")
    return {"matchExpressions": [] if node is None else to_json(node)}


def _toleration(value: Any) -> Any:
    """Return a toleration without the time for which it holds, which matters only later."""
    if not isinstance(value, dict):
        return value
    return {key: each for key, each in value.items() if key != "tolerationSeconds"}
