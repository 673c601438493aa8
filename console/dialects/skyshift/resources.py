"""The resources that a Job requests, in the names and units of the product."""

from __future__ import annotations

from typing import Final

from console.dialects.fields import Fields
from console.dialects.findings import Findings, Place
from console.dialects.nodes import MapNode, ScalarNode
from console.dialects.repairs import did_you_mean, replace
from console.dialects.skyshift.accelerators import usual_spelling
from console.dialects.skyshift.codes import GPUS_AND_MODEL, MODEL_SPELLING, UNKNOWN_RESOURCE
from console.dialects.skyshift.labels import check_key
from console.dialects.skyshift.numbers import read_number
from console.dialects.skyshift.sizes import read_size
from console.dialects.wording import listed, shorten
from console.dialects.written import Written

GPUS: Final = "gpus"
#: Resource of a Job -> its name in requests.
NAMES: Final = {"cpus": "cpu", "memory": "memory", "disk": "ephemeral-storage", GPUS: GPUS}
_SIZES: Final = ("memory", "disk")
#: Names of the same resources elsewhere, which SkyShift would take for accelerators.
_ELSEWHERE: Final = {
    "cpu": "cpus",
    "gpu": GPUS,
    "mem": "memory",
    "ram": "memory",
    "storage": "disk",
    "ephemeral-storage": "disk",
}
#: Counted for every pod, so it cannot be requested.
_PODS: Final = "pods"


def read_resources(spec: Fields) -> dict[str, int]:
    """Return thousandths by resource, without zeros; sizes are in bytes."""
    node, read = spec.node("resources"), spec.mapping_of_any("resources")
    if read is None or not isinstance(node, MapNode):
        return {}
    fields, keys = read
    requests: dict[str, int] = {}
    for key in keys:
        _check_name(node.entries[key][0], f"{fields.place.path}.{key}", fields.findings)
        amount = read_size(fields, key) if key in _SIZES else fields.number(key, read_number)
        if isinstance(amount, Written) and amount.value:
            requests[NAMES.get(key, key)] = amount.value
    _check_models(requests, fields)
    return requests


def _check_name(key: ScalarNode, path: str, findings: Findings) -> None:
    """Report a name that SkyShift takes for an accelerator that no node has."""
    if key.text in NAMES:
        return
    check_key(key, path, "the name of a resource", findings)
    place = Place(key.start, key.end, path)
    model = usual_spelling(key.text)
    if model is not None:
        if model != key.text:
            findings.add(
                MODEL_SPELLING,
                place,
                f'The accelerator model "{shorten(key.text)}" is spelled "{model}"; a request in '
                "another spelling fits no node.",
                f"Write {model}.",
                (replace(place, model),),
            )
        return
    hint, repairs = did_you_mean(findings, place, key.text, NAMES)
    meant = _ELSEWHERE.get(key.text.lower())
    if meant is not None:
        hint, repairs = f"It is called {meant}.", (replace(place, meant),)
    if repairs or key.text == _PODS:
        findings.add(
            UNKNOWN_RESOURCE,
            place,
            f'"{shorten(key.text)}" is not a resource of SkyShift.',
            hint or f"A Job requests {listed(NAMES, 'or')}, or an accelerator model.",
            repairs,
        )


def _check_models(requests: dict[str, int], fields: Fields) -> None:
    """Report gpus together with accelerators of one model (SkyShift, spec 1.2)."""
    models = [name for name in requests if name not in NAMES.values()]
    place = fields.key_place(GPUS)
    if models and GPUS in requests and place is not None:
        findings = fields.findings
        findings.add(
            GPUS_AND_MODEL,
            place,
            f'{GPUS} and "{shorten(models[0])}" are requested together.',
            "Request accelerators of any model as gpus, or of one model by its name.",
        )
