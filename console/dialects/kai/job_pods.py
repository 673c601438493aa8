"""Pods of manifests: what they request, where they may run, and shares of GPUs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from console.dialects.fields import Fields
from console.dialects.kai.codes import BAD_QUANTITY
from console.dialects.kai.job_codes import BAD_GPU_SHARE, NOT_SUPPORTED
from console.dialects.pods import PodDoc, PodReader, nested, texts_of
from console.dialects.wording import shorten
from console.dialects.written import Written
from console.engine.disciplines.fairshare.requests import GPU_DEVICES, GPU_MEMORY, GPU_NAMES
from console.engine.model.amounts import SCALE

FRACTION: Final = "gpu-fraction"
MEMORY: Final = "gpu-memory"
DEVICES: Final = "gpu-fraction-num-devices"

_MIG: Final = "nvidia.com/mig-"
_MEBIBYTE: Final = 2**20
_FRACTION = re.compile(r"0?\.[0-9]{1,30}")
_WHOLE = re.compile(r"[1-9][0-9]{0,8}")
_FORM_OF_FRACTION: Final = "a number above 0 and below 1 with at most three decimals"


def _refused(resource: str) -> tuple[str, str] | None:
    if not resource.startswith(_MIG):
        return None
    return (
        f"{shorten(resource)}: slices of devices (MIG) are not supported.",
        f"Request a part of a GPU with the annotation {FRACTION}.",
    )


READER: Final = PodReader(BAD_QUANTITY, NOT_SUPPORTED, _refused)


def read_pod(pod: Fields) -> PodDoc:
    """Read the metadata and spec of a pod, or of the template of pods."""
    metadata, spec = nested(pod, "metadata"), nested(pod, "spec")
    requests = READER.requests(spec) if spec is not None else {}
    requests |= _share(texts_of(metadata, "annotations"), requests, pod)
    return PodDoc(
        place=pod.key_place("spec") or pod.place,
        requests={name: amount for name, amount in sorted(requests.items()) if amount},
        constraints=READER.constraints(spec) if spec is not None else {},
    )


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
