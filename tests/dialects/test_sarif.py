"""Findings as SARIF 2.1.0, checked against the requirements of its public schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from console.configs.expectation_files import CODES
from console.dialects.catalogue import every_code
from tests.dialects.test_check_config import BAD, ROOT, run

# Requirements of the public SARIF 2.1.0 schema for the parts that the command writes.

TEXT = {"type": "object", "required": ["text"], "additionalProperties": False}
TEXT["properties"] = {"text": {"type": "string"}, "markdown": {"type": "string"}}
REGION = {
    "type": "object",
    "required": ["startLine", "startColumn", "endLine", "endColumn"],
    "additionalProperties": False,
    "properties": {
        name: {"type": "integer", "minimum": 1}
        for name in ("startLine", "startColumn", "endLine", "endColumn")
    },
}
ARTIFACT = {
    "type": "object",
    "required": ["uri"],
    "additionalProperties": False,
    "properties": {
        "uri": {"type": "string", "pattern": r"^(file://)?[\w./~%-]+$"},
        "uriBaseId": {"const": "%SRCROOT%"},
        "index": {"type": "integer", "minimum": -1},
    },
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
RULE = {
    "type": "object",
    "required": ["id", "shortDescription", "fullDescription", "help", "defaultConfiguration"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string"},
        "shortDescription": TEXT,
        "fullDescription": TEXT,
        "help": TEXT,
        "helpUri": {"type": "string", "pattern": r"^https?://"},
        "defaultConfiguration": {"type": "object", "properties": {"level": LEVEL}},
    },
}
FIX = {
    "type": "object",
    "required": ["artifactChanges"],
    "additionalProperties": False,
    "properties": {
        "description": TEXT,
        "artifactChanges": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["artifactLocation", "replacements"],
                "additionalProperties": False,
                "properties": {
                    "artifactLocation": ARTIFACT,
                    "replacements": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "required": ["deletedRegion"],
                            "additionalProperties": False,
                            "properties": {"deletedRegion": REGION, "insertedContent": TEXT},
                        },
                    },
                },
            },
        },
    },
}
RESULT = {
    "type": "object",
    "required": ["message", "ruleId", "ruleIndex", "level", "locations"],
    "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": LEVEL,
        "message": TEXT,
        "locations": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["physicalLocation"],
                "additionalProperties": False,
                "properties": {
                    "physicalLocation": {
                        "type": "object",
                        "required": ["artifactLocation", "region"],
                        "additionalProperties": False,
                        "properties": {"artifactLocation": ARTIFACT, "region": REGION},
                    },
                    "logicalLocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["fullyQualifiedName"],
                            "additionalProperties": False,
                            "properties": {"fullyQualifiedName": {"type": "string"}},
                        },
                    },
                },
            },
        },
        "fixes": {"type": "array", "minItems": 1, "items": FIX},
    },
}
SARIF = {
    "type": "object",
    "required": ["$schema", "version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "pattern": "sarif-schema-2.1.0.json$"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "additionalProperties": False,
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "rules"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "rules": {"type": "array", "items": RULE, "uniqueItems": True},
                                },
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "artifacts": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {"location": ARTIFACT},
                        },
                    },
                    "results": {"type": "array", "items": RESULT},
                },
            },
        },
    },
}


def sarif(*arguments: Path | str) -> tuple[dict[str, Any], int]:
    """Run the command; return the only run of its valid SARIF output, and the exit status."""
    output, status = run(*arguments, "--format", "sarif")
    written = json.loads(output)
    Draft202012Validator(SARIF).validate(written)
    return written["runs"][0], status


def test_sarif_has_a_rule_with_help_for_each_finding_and_its_fixes(tmp_path: Path):
    config = tmp_path / "config.yaml"
    config.write_text(BAD.replace("\t", "  "))
    expected = tmp_path / "expected.yaml"
    expected.write_text("[]\n")
    found, status = sarif(config, "--expect", expected)
    assert status == 1
    codes = {code.code: code for code in (*every_code(), *CODES)}
    rules = found["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["NAT002", "NAT003", "EXP002"]
    assert [rule["help"]["text"] for rule in rules] == [codes[rule["id"]].advice for rule in rules]
    assert [rule["defaultConfiguration"] for rule in rules] == [{"level": "error"}] * 3
    assert found["columnKind"] == "unicodeCodePoints"
    assert [each["location"]["uri"] for each in found["artifacts"]] == [
        f"file://{config}",
        f"file://{expected}",
    ]
    first, second, third = found["results"]
    assert [rules[each["ruleIndex"]]["id"] for each in found["results"]] == [
        "NAT003",
        "NAT002",
        "EXP002",
    ]
    assert second["message"]["text"] == (
        'Flavor "spto" is not defined in resource_flavors. Did you mean "spot"?'
    )
    region = {"startLine": 7, "startColumn": 27, "endLine": 7, "endColumn": 31}
    assert second["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": f"file://{config}", "index": 0},
                "region": region,
            },
            "logicalLocations": [
                {"fullyQualifiedName": "resource_queues[0].resource_groups[0].flavors[0].name"}
            ],
        }
    ]
    assert second["fixes"] == [
        {
            "description": {"text": 'Replace with "spot"'},
            "artifactChanges": [
                {
                    "artifactLocation": {"uri": f"file://{config}"},
                    "replacements": [
                        {"deletedRegion": region, "insertedContent": {"text": "spot"}}
                    ],
                }
            ],
        }
    ]
    assert first["level"] == third["level"] == "error"


def test_sarif_of_a_valid_file_has_no_results(monkeypatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    Path("my config.yaml").write_text("{}")
    found, status = sarif("my config.yaml")
    assert status == 0
    assert (found["results"], found["tool"]["driver"]["rules"]) == ([], [])
    assert found["artifacts"] == [
        {"location": {"uri": "my%20config.yaml", "uriBaseId": "%SRCROOT%"}}
    ]


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / "tests" / "dialects").glob("*/bad/*.yaml")),
    ids=lambda path: f"{path.parents[1].name}-{path.stem}",
)
def test_sarif_contains_every_finding_of_bad_documents(path: Path):
    found, _ = sarif(path, "--dialect", path.parents[1].name)
    output, _ = run(path, "--dialect", path.parents[1].name, "--format", "json")
    answer = json.loads(output)
    findings = answer["diagnostics"] + answer["lints"]
    assert sorted(each["ruleId"] for each in found["results"]) == sorted(
        each["code"] for each in findings
    )
    assert sum(len(each.get("fixes", ())) for each in found["results"]) == sum(
        len(each["fixes"]) for each in findings
    )
