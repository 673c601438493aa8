"""The YuniKorn reference documents every field, value and switch, and its examples are valid."""

from __future__ import annotations

import re
from pathlib import Path

from console.dialects.yunikorn import DIALECT
from console.dialects.yunikorn.documents import CONFIGS, DEFAULTS, FILE, MAP_SWITCHES
from console.dialects.yunikorn.job import (
    ALLOW_PREEMPTION,
    USER_ANNOTATIONS,
    VERSIONS,
    read_job,
)
from console.dialects.yunikorn.library_types import CONFIG, ListOf, Struct, Type
from console.dialects.yunikorn.routing import APPLICATION_LABELS, QUEUE_LABELS
from console.dialects.yunikorn.rule_checks import NAMES
from console.dialects.yunikorn.settings import OTHER_SETTINGS, PROPERTIES, SERVICE_SETTINGS
from console.dialects.yunikorn.switches import ALL
from console.dialects.yunikorn.switches import NAMES as SWITCHES
from console.dialects.yunikorn.task_groups import GROUP_NAME, GROUPS, PARAMETERS
from console.engine.disciplines.hierarchy.spec import NodeOrder

TEXT = (Path(__file__).parents[3] / "docs" / "yunikorn.md").read_text("utf-8")
CODE = set(re.findall(r"`([^`\n]+)`", TEXT))


def fields_of(kind: Type, known: frozenset[str] = frozenset()) -> set[str]:
    """Return the fields of a type, and of those in it."""
    if isinstance(kind, ListOf):
        return fields_of(kind.item, known)
    if not isinstance(kind, Struct) or kind.name in known:
        return set()
    known |= {kind.name}
    found = {*kind.fields, *kind.others}
    return found.union(*(fields_of(each, known) for each in kind.fields.values()))


def test_every_field_is_documented() -> None:
    found = fields_of(CONFIG)
    assert {"partitions", "submitacl", "maxresources", "statedumpfilepath", "filter"} < found
    told = {word for code in CODE for word in re.split(r"[.,\s]", code)}
    assert found - told == set()


def test_properties_and_settings_are_documented_with_their_defaults() -> None:
    assert {*SERVICE_SETTINGS, FILE, MAP_SWITCHES, CONFIGS, DEFAULTS} - CODE == set()
    assert set(OTHER_SETTINGS) - CODE == set()
    rows = dict(re.findall(r"^\| `([a-z.]+)` \| [^|]+ \| `?([^|`: ]+)", TEXT, re.MULTILINE))
    assert {name: rows.get(name) for name in PROPERTIES} == {
        name: each.default for name, each in PROPERTIES.items()
    }
    assert {word for each in PROPERTIES.values() for word in each.words} - CODE == set()


def test_values_and_switches_are_documented() -> None:
    assert {*NAMES, *(each.value for each in NodeOrder), "allow", "deny", ALL} - CODE == set()
    rows = re.findall(r"^\| `([a-z_]+)` \|", TEXT.partition("## Differences from")[2], re.MULTILINE)
    assert tuple(rows) == SWITCHES


def test_labels_and_annotations_of_manifests_are_documented() -> None:
    own = {*QUEUE_LABELS, *APPLICATION_LABELS, ALLOW_PREEMPTION, *USER_ANNOTATIONS}
    own |= {GROUPS, GROUP_NAME, PARAMETERS, *VERSIONS, *VERSIONS.values()}
    assert own - CODE == set()


def test_the_examples_are_read_without_findings() -> None:
    examples = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    configs = [each for each in examples if "partitions:" in each]
    (manifest,) = (each for each in examples if each not in configs)
    assert len(configs) == 3
    for example in configs:
        reading = DIALECT.read(example, {})
        assert reading.ok
        assert reading.diagnostics == ()
    submitted = read_job(manifest)
    assert submitted.ok
    assert submitted.diagnostics == ()
