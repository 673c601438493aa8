"""Sentences about workloads that can never start: the bounds they exceed, and what is possible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from console.engine.explain.sentences import Sentence, Verdict
from console.engine.model.amounts import SCALE
from console.engine.model.exceeded import BoundKind, Exceeded
from console.engine.model.workload import PODS
from console.engine.wording.words import amount, listed, plural, quantity, sentence_case

#: In limits, every user or group without a limit of its own.
_ALL_OTHERS: Final = "*"

_NUMBERS: Final = {
    BoundKind.LIMIT: "limit",
    BoundKind.QUOTA: "quota",
    BoundKind.MAXIMUM: "maximum",
    BoundKind.USER_LIMIT: "limit",
    BoundKind.GROUP_LIMIT: "limit",
}


def can_never_start(exceeded: Sequence[Exceeded]) -> str:
    """Return the headline: every bound with its numbers, then the largest possible request."""
    where = "under this config" if any(each.kind.is_of_config for each in exceeded) else ""
    lead = f"Can never run {where or 'on the present nodes'}"
    parts = list(_parts(exceeded))
    if not parts:
        return f"{lead}."
    also = [f"Also, {each}." for each in parts[1:]]
    return " ".join([f"{lead}: {parts[0]}.", *also, possible(exceeded)])


def possible(exceeded: Sequence[Exceeded]) -> str:
    """Return the largest request that fits, and what has to be raised to which number."""
    ways = f"have {listed(dict.fromkeys(map(_way, exceeded)))}"
    if any(each.kind is BoundKind.NODE_CONSTRAINTS for each in exceeded):
        return f"Change the node selectors, affinity or tolerations of its pods, or {ways}."
    most: dict[tuple[str, bool], int] = {}
    for each in exceeded:
        key = each.resource, each.pods > 1
        most[key] = min(most.get(key, each.most), each.most)
    if not all(most.values()):
        return f"{sentence_case(ways)}."
    is_mixed = len({is_together for _, is_together in most}) > 1
    requests = listed(
        _request(resource, value, is_together=is_together, is_mixed=is_mixed)
        for (resource, is_together), value in most.items()
    )
    return f"Request at most {requests}, or {ways}."


def node_sentences(exceeded: Iterable[Exceeded]) -> list[Sentence]:
    """Return the sentences for a stage about nodes: what they lack even if nothing runs there."""
    of_nodes = [each for each in exceeded if not each.kind.is_of_config]
    return [
        Sentence(text=f"{sentence_case(text)}.", verdict=Verdict.FAIL) for text in _parts(of_nodes)
    ]


def _parts(exceeded: Sequence[Exceeded]) -> Iterator[str]:
    """Yield a clause for each resource that numbers of the config bound, then about nodes."""
    numbers: dict[tuple[str, int, int], list[Exceeded]] = {}
    for each in exceeded:
        if each.kind.is_of_config:
            key = each.resource, each.requested, each.pods
            numbers.setdefault(key, []).append(each)
    for (resource, requested, pods), bounds in numbers.items():
        # The resource is named once.
        of = listed(f"{_bound(each)} is {quantity(each.most, resource)}" for each in bounds)
        request = f"request {amount(requested, resource)}"
        who = "a pod requests" + request[len("request") :] if pods < 2 else _together(pods, request)
        yield f"{who}, but {of}"
    nodes = [each for each in exceeded if each.kind is BoundKind.NODE]
    if nodes:
        offers = listed(
            f"{quantity(each.most, each.resource)} of the {amount(each.requested, each.resource)}"
            for each in nodes
        )
        yield (
            "no node could hold a pod, even if nothing else ran there: "
            f"{nodes[0].name} of {nodes[0].cluster} comes closest and offers {offers}"
        )
    for each in exceeded:
        if each.kind is BoundKind.NODES:
            yield _all_nodes(each)
        elif each.kind is BoundKind.NODE_CONSTRAINTS:
            count = each.requested // SCALE
            yield (
                f"{plural(count, 'node')} {'is' if count == 1 else 'are'} excluded by name, labels "
                "or taints, and there is no other"
            )


def _together(pods: int, request: str) -> str:
    return f"its {pods} pods that start together {request}"


def _all_nodes(each: Exceeded) -> str:
    if each.resource == PODS:
        return (
            f"all nodes together could hold {quantity(each.most, PODS)} of the {each.pods} pods "
            "that start together, even if nothing else ran there"
        )
    request = f"request {amount(each.requested, each.resource)}"
    return (
        f"{_together(each.pods, request)}, but all nodes together offer "
        f"{quantity(each.most, each.resource)}"
    )


def _bound(each: Exceeded) -> str:
    """Return a number of the config, as the subject of a sentence."""
    number = _NUMBERS[each.kind]
    if each.kind is BoundKind.USER_LIMIT:
        return f"the {number} of user {each.holder} in {each.name}"
    if each.kind is not BoundKind.GROUP_LIMIT:
        return f"the {number} of {each.name}"
    if each.holder == _ALL_OTHERS:
        return f"the {number} of all users without a named group together in {each.name}"
    return f"the {number} of group {each.holder} in {each.name}"


def _way(each: Exceeded) -> str:
    """Return what would have to change so that the bound allows the request."""
    match each.kind:
        case BoundKind.NODE_CONSTRAINTS:
            return "a node added that accepts them"
        case BoundKind.NODE:
            return "a larger node added"
        case BoundKind.NODES:
            return "nodes added"
        case _:
            return f"{_bound(each)} raised to {amount(each.requested, each.resource)}"


def _request(resource: str, value: int, *, is_together: bool, is_mixed: bool) -> str:
    if resource == PODS and is_together:
        return f"{amount(value, PODS)} that start together"
    scope = ""
    if is_together:
        scope = " in all"
    elif is_mixed:
        scope = " for each pod"
    return f"{amount(value, resource)}{scope}"
