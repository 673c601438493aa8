"""The native dialect: the scheduler config that the public client of the console sends."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from console.dialects.base import ClientForm, Dialect, PastSpec, Reading
from console.dialects.collector import collector_paused
from console.dialects.findings import ReadingStopped
from console.dialects.lints.quota import QuotaLints
from console.dialects.native.checks import check
from console.dialects.native.client_form import document_of, text_of
from console.dialects.native.codes import NATIVE_CODES
from console.dialects.native.compile import compile_policy
from console.dialects.native.editable import NUMBER_FIELDS
from console.dialects.native.json_schema import json_schema
from console.dialects.native.lints import lint
from console.dialects.native.new_queue import NEW_QUEUES
from console.dialects.native.objects import VOCABULARY, native_objects
from console.dialects.native.parse import DOCUMENT, parse
from console.dialects.native.specs import check_specs, queue_specs
from console.dialects.source import read_source
from console.engine.counterfactual.change import Setting
from console.engine.disciplines.quota.policy_objects import Noun, flows_between
from console.engine.disciplines.quota.spec import PreemptionRule, QuotaSpec

_PART = re.compile(rf"^[{{\"']*(?:{'|'.join(DOCUMENT.keys)})\b", re.MULTILINE)
_SAMPLES = {
    "Cap one instance type": "cap-instance-type.yaml",
    "Share research GPUs by priority": "research-gpus.yaml",
    "Guard a capacity reservation": "capacity-reservation.yaml",
}


def read(text: str | bytes, past: Mapping[str, PastSpec]) -> Reading:
    """Read *text* as a native config; *past* has the fixed specs of queue names."""
    with collector_paused():
        return _read(text, past)


def _read(text: str | bytes, past: Mapping[str, PastSpec]) -> Reading:
    source = read_source(text)
    findings = source.findings
    if source.root is None:
        return Reading(diagnostics=findings.diagnostics(), queue_specs={})
    specs: Mapping[str, Mapping[str, Any]] = {}
    try:
        document = parse(source.root, findings)
        check(document, findings)
        specs = queue_specs(document, findings)
        check_specs(document, specs, past, findings)
    except ReadingStopped:
        pass
    if findings.has_errors:
        return Reading(diagnostics=findings.diagnostics(), queue_specs=specs)
    policy = compile_policy(document, source.positions)
    lint(document, policy, findings)
    return Reading(
        diagnostics=findings.diagnostics(), policy=policy, queue_specs=specs, source=source
    )


def recognizes(text: str) -> bool:
    """Return whether *text* has a line that starts with one of the three sections of a config."""
    return _PART.search(text) is not None


def samples() -> dict[str, str]:
    """Return the examples of the dialect, by title."""
    folder = files(__name__) / "samples"
    return {title: (folder / name).read_text("utf-8") for title, name in _SAMPLES.items()}


DIALECT = Dialect(
    name="native",
    title="Native",
    reference="config-reference",
    empty_spec=QuotaSpec(),
    read=read,
    recognizes=recognizes,
    codes=NATIVE_CODES,
    about_codes="Rules between the fields of a native config.",
    schema=json_schema,
    samples=samples,
    objects=native_objects,
    vocabulary=VOCABULARY,
    flows=flows_between,
    lints=QuotaLints,
    number_fields=NUMBER_FIELDS,
    new_queues=NEW_QUEUES,
    movable_kind=Noun.RULE.value,
    equivalent_lints={
        "NAT020": "LNT001",
        "NAT021": "LNT002",
        "NAT022": "LNT004",
        "NAT024": "LNT003",
        "NAT027": "LNT008",
    },
    is_default=True,
    setting_values={
        Setting.WITHIN_QUEUE: (PreemptionRule.LOWER_PRIORITY,),
        Setting.RECLAIM_WITHIN_COHORT: (PreemptionRule.LOWER_PRIORITY, PreemptionRule.ANY),
        Setting.BORROW_WITHIN_COHORT: (PreemptionRule.LOWER_PRIORITY,),
    },
    client_form=ClientForm(read=document_of, write=text_of),
)
