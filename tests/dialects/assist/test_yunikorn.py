"""Completion and help in the YuniKorn dialect, by cursor position, also in a ConfigMap."""

from __future__ import annotations

import pytest

from console.dialects import dialects
from console.dialects.assist.renaming import rename_in
from tests.dialects.assist.cursor import assistant, explained, inserted

QUEUE = """\
partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: team
            """
RULES = "partitions:\n  - placementrules:\n      - "
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: yunikorn-configs }\ndata:\n  "

OF_A_QUEUE = [
    *("parent: ", "resources:", "maxapplications: ", "properties:", "adminacl: ", "submitacl: "),
    *("childtemplate:", "queues:", "limits:"),
]
OF_A_RULE = ["name: ", "create: ", "value: ", "filter:", "parent: "]
OFFERED = {
    "|": ["partitions:", "checksum: ", "x-compatibility: "],
    "partitions:\n  - |": [
        *("name: ", "queues:", "placementrules:", "limits:", "preemption:", "nodesortpolicy:"),
        "usergroupresolver:",
    ],
    "partitions:\n  - nodesortpolicy: { type: |": ['""', "fair", "binpacking"],
    "partitions:\n  - preemption:\n      |": ["enabled: ", "quotapreemptionenabled: "],
    f"{QUEUE}|": OF_A_QUEUE,
    f"{QUEUE}parent: |": ["true", "false"],
    f"{QUEUE}resources:\n              max:\n                |": ["vcore: ", "memory: "],
    f"{QUEUE}childtemplate: {{ |": ["maxapplications: ", "properties:", "resources:"],
    f"{QUEUE}limits:\n              - |": [
        *("limit: ", "users:", "groups:", "maxresources:", "maxapplications: "),
    ],
    f"{QUEUE}properties:\n              prio|": [
        *("priority.policy: ", "priority.offset: ", "application.sort.priority: "),
    ],
    f"{QUEUE}properties: {{ preemption.policy: |": ["default", "fence", "disabled"],
    f"{QUEUE}properties: {{ application.sort.policy: |": ["fifo", "fair", "stateaware"],
    f"{RULES}|": OF_A_RULE,
    f"{RULES}name: |": ["provided", "user", "tag", "fixed"],
    f"{RULES}name: tag\n        parent:\n          |": OF_A_RULE,
    f"{RULES}name: tag\n        filter: {{ type: |": ["allow", "deny"],
    "x-compatibility: [textual|": ["textual_rule_paths", "textual_ancestors"],
    f"{MAP}|": [
        *("queues.yaml: ", "sluice.compatibility: ", "event.trackingEnabled: "),
        *("event.requestCapacity: ", "event.ringBufferCapacity: ", "event.maxStreams: "),
        *("event.maxStreamsPerHost: ", "event.RESTResponseSize: ", "health.checkInterval: "),
    ],
}


def in_map(text: str) -> str:
    """Return a ConfigMap with a config as a block of text."""
    inner = text.replace("\n", "\n    ")
    return f"{MAP}queues.yaml: |\n    {inner}"


@pytest.mark.parametrize(("marked", "expected"), OFFERED.items())
def test_completions_at_the_cursor(marked: str, expected: list[str]) -> None:
    assert inserted("yunikorn", marked) == expected


@pytest.mark.parametrize("marked", [f"{QUEUE}|", f"{RULES}name: |", f"{QUEUE}parent: |"])
def test_completions_in_a_config_map(marked: str) -> None:
    assert inserted("yunikorn", in_map(marked)) == OFFERED[marked]


@pytest.mark.parametrize("wrap", [str, in_map], ids=["plain", "map"])
def test_help_at_the_cursor(wrap: type[str]) -> None:
    told = explained("yunikorn", wrap(f"{QUEUE}resources:\n              ma|x: {{ memory: 1G }}"))
    assert told is not None
    assert (told.key, told.facts.description) == (
        "max",
        "The most that the queue may use with those below it.",
    )


def test_outline_has_full_paths() -> None:
    text = f"{QUEUE}maxapplications: 3\n  - name: gpu\n    queues: [{{ name: other }}]\n"
    expected = [
        ("partition", "default", 2),
        ("queue", "root", 4),
        ("queue", "root.team", 6),
        ("partition", "gpu", 8),
        ("queue", "gpu:root.other", 9),
    ]
    for each, lines in ((text, 0), (in_map(text), 5)):
        items = assistant("yunikorn", each).names.items
        assert [(item.kind, item.name, item.line) for item in items] == [
            (kind, name, line + lines) for kind, name, line in expected
        ]


@pytest.mark.parametrize("wrap", [str, in_map], ids=["plain", "map"])
def test_renaming_changes_the_name_of_a_queue(wrap: type[str]) -> None:
    text = wrap(f"{QUEUE}maxapplications: 3\n")
    names = {"queue": {"root.team": "root.lab"}}
    renamed = rename_in(dialects()["yunikorn"], text, names)
    assert renamed == text.replace("team", "lab")
