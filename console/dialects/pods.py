"""Pods as Kubernetes writes them: what they request, and which nodes they may use."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from console.dialects.codes import NOT_A_LIST, NOT_A_MAPPING, Code
from console.dialects.fields import Fields, Shape
from console.dialects.findings import Place
from console.dialects.nodes import ListNode, MapNode, ScalarNode, UnreadNode
from console.dialects.opaque import to_json
from console.dialects.quantity import amount_of, suggest_quantities
from console.dialects.repairs import replace
from console.dialects.wording import shorten
from console.dialects.written import Written
from console.engine.model.amounts import Unlimited, amount_to_number


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


@dataclass(frozen=True, slots=True)
class PodReader:
    """Reads pods with the codes of one language."""

    bad_quantity: Code
    not_supported: Code
    #: Resource -> why it is not supported and what to do; None: it is.
    refused: Callable[[str], tuple[str, str] | None] = lambda resource: None

    def refuse(self, fields: Fields, key: str, what: str, hint: str) -> None:
        """Report a field of something that is not supported, if it is there and not empty."""
        place, node = fields.key_place(key), fields.node(key)
        if place is not None and node is not None and to_json(node) not in ({}, []):
            fields.findings.add(self.not_supported, place, f"{what} are not supported.", hint)

    def requests(self, spec: Fields) -> dict[str, int]:
        """Return what Kubernetes reserves for the containers of a pod, in thousandths."""
        self.refuse(spec, "resourceClaims", "Device claims", "Request GPUs as nvidia.com/gpu.")
        running = _sum(map(self._container, items_of(spec, "containers")))
        first: dict[str, int] = {}
        for each in items_of(spec, "initContainers"):
            requests, restart = self._container(each), each.node("restartPolicy")
            if isinstance(restart, ScalarNode) and restart.text == "Always":
                # It runs beside the containers.
                running = _sum((running, requests))
            else:
                first = _most(first, requests)
        return _sum((_most(running, first), self._quantities(spec, "overhead")))

    def _container(self, container: Fields) -> dict[str, int]:
        """Return the requests of a container; a limit stands for a request that is absent."""
        resources = nested(container, "resources")
        if resources is None:
            return {}
        self.refuse(resources, "claims", "Device claims", "Request GPUs as nvidia.com/gpu.")
        return self._quantities(resources, "limits") | self._quantities(resources, "requests")

    def _quantities(self, fields: Fields, key: str) -> dict[str, int]:
        read = fields.mapping_of_any(key)
        found: dict[str, int] = {}
        for resource in read[1] if read is not None else ():
            amount = self._quantity(read[0], resource) if read is not None else None
            if amount is not None:
                found[resource] = amount
        return found

    def _quantity(self, fields: Fields, resource: str) -> int | None:
        node, at = fields.node(resource), fields.key_place(resource)
        if node is None or at is None or isinstance(node, UnreadNode):
            return None
        refused = self.refused(resource)
        if refused is not None:
            fields.findings.add(self.not_supported, at, *refused)
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
            self.bad_quantity,
            place,
            f'{shorten(resource)}: "{shorten(text)}" is not a quantity of 0 or more.',
            "Write it like 64, 500m or 256Gi.",
            tuple(replace(place, each) for each in suggest_quantities(text)),
        )
        return None

    def constraints(self, spec: Fields) -> dict[str, Any]:
        """Return the node constraints of a pod as fields of a pod set."""
        found: dict[str, Any] = {}
        selector = texts_of(spec, "nodeSelector")
        if selector:
            found["node_selector"] = {key: each.value for key, each in selector.items()}
        affinity = nested(spec, "affinity")
        if affinity is not None:
            for key in ("podAffinity", "podAntiAffinity"):
                hint = "Constrain the nodes with node labels and nodeAffinity."
                self.refuse(affinity, key, "Rules about other pods", hint)
            required = nested(
                affinity, "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"
            )
            if required is not None:
                terms = [self._term(each) for each in items_of(required, "nodeSelectorTerms")]
                found |= {"affinity": terms} if terms else {}
        tolerations = spec.node("tolerations")
        if isinstance(tolerations, ListNode) and tolerations.items:
            found["tolerations"] = [toleration_of(to_json(each)) for each in tolerations.items]
        return found

    def _term(self, term: Fields) -> dict[str, Any]:
        lists = {key: term.node(key) for key in ("matchExpressions", "matchFields")}
        return {key: to_json(node) for key, node in lists.items() if node is not None}


def _most(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, int]:
    names = left.keys() | right.keys()
    return {name: max(left.get(name, 0), right.get(name, 0)) for name in names}


def _sum(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, amount in part.items():
            total[name] = total.get(name, 0) + amount
    return total


def toleration_of(value: Any) -> Any:
    """Return a toleration without the time for which it holds, which matters only later."""
    if not isinstance(value, dict):
        return value
    return {key: each for key, each in value.items() if key != "tolerationSeconds"}
