"""The field tables of the Kueue reference state correctly how each field is treated."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from console.dialects.kueue import DIALECT
from console.dialects.kueue.manifests import OTHER_KINDS
from tests.dialects.kueue.field_paths import kinds, paths

TEXT = (Path(__file__).parents[3] / "docs" / "kueue-reference.md").read_text("utf-8")
#: Codes of findings about fields that are unsupported or ignored.
NOTED = re.compile(r"KUE04\d|KUE080")


def document(kind: str, api: str, own: dict[str, Any]) -> str:
    """Return a manifest with the fields *own*."""
    header: dict[str, Any] = {"apiVersion": api, "kind": kind}
    if kind != "Configuration":
        header["metadata"] = {"name": "a", "namespace": "a"}
    metadata = {**header.pop("metadata", {}), **own.get("metadata", {})}
    return json.dumps({**header, **own, **({"metadata": metadata} if metadata else {})})


def status(kind: str, api: str, path: str, own: dict[str, Any]) -> str:
    """Return how the parser treats a field: done, noted or refused."""
    found = DIALECT.read(document(kind, api, own), {}).diagnostics
    plain = path.replace("[]", "[0]").replace("*", "a")
    if any(d.code == "DOC001" and f"{plain}.".startswith(f"{d.path}.") for d in found):
        return "refused"
    if any(NOTED.fullmatch(d.code) and f"{plain}.".startswith(f"{d.path}.") for d in found):
        return "noted"
    return "done"


def leaves(found: dict[str, Any]) -> dict[str, Any]:
    """Return the fields without nested fields."""
    return {
        path: own
        for path, own in found.items()
        if not any(other.startswith((f"{path}.", f"{path}[]")) for other in found)
    }


def by_kind() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the fields of every kind, by apiVersion."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for kind, api, schema in kinds():
        found.setdefault(kind, {})[api] = leaves(paths(schema))
    return found


KINDS = by_kind()


def treatment_by_field(kind: str) -> dict[str, list[str]]:
    """Return for each field of a kind how every version treats it."""
    versions = KINDS[kind]
    every = {path: own for each in versions.values() for path, own in each.items()}
    return {
        path: [status(kind, api, path, each.get(path, own)) for api, each in versions.items()]
        for path, own in every.items()
    }


def table(heading: str) -> tuple[list[str], dict[str, list[str]]]:
    """Return header and rows of the table under *heading*, rows keyed by their first cell."""
    found = re.search(rf"^### {re.escape(heading)}\n(.*?)(?=^#|\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    lines = [line for line in found[1].splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return cells[0], {row[0].strip("`"): row[1:] for row in cells[2:]}


def is_metadata(path: str) -> bool:
    """Return whether a field belongs to the metadata of all objects."""
    return path.startswith("metadata.")


@pytest.mark.parametrize("kind", KINDS)
def test_table_of_a_kind_states_the_treatment_of_each_field(kind: str):
    head, rows = table(f"Fields of {kind}")
    assert head == ["field", *(api.rpartition("/")[2] for api in KINDS[kind]), "instead"]
    expected = {
        path: row for path, row in treatment_by_field(kind).items() if not is_metadata(path)
    }
    assert {path: row[:-1] for path, row in rows.items()} == expected
    # A field that is not supported in every version has a text in the last column.
    for path, row in rows.items():
        assert bool(row[-1]) == (set(row[:-1]) != {"done"}), path


def test_metadata_is_the_same_everywhere():
    head, rows = table("Fields of metadata")
    assert head == ["field", "every version", "instead"]
    told = {path: row[0] for path, row in rows.items()}
    for kind in set(KINDS) - {"Configuration"}:
        own = {
            path: set(row) for path, row in treatment_by_field(kind).items() if is_metadata(path)
        }
        assert own == {path: {word} for path, word in told.items()}, kind


def test_ignored_kinds_are_documented_with_their_fields():
    head, rows = table("Kinds that are not read")
    assert head == ["kind", "fields", "instead"]
    assert list(rows) == list(OTHER_KINDS)
    for kind, (fields, instead) in rows.items():
        assert fields
        assert instead
        text = document(kind, "kueue.x-k8s.io/v1beta2", {"spec": {"anything": 1}})
        code = "KUE042" if kind in {"AdmissionCheck", "Topology"} else "KUE041"
        assert [d.code for d in DIALECT.read(text, {}).diagnostics] == [code], kind
