"""Hostile config texts: valid ones with one invalid part."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml
from hypothesis import strategies as st

from console.dialects import dialects
from tests.dialects.mutations import mutant

_TESTS: Final = Path(__file__).parent.parent

#: Maximum length of texts; longer ones find little more and are slow.
_LONG: Final = 6_000

#: Config languages of other schedulers, which are tested as dialects once they exist here.
FOREIGN: Final = {
    "kai": """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: { name: research }
spec:
  parentQueue: default
  priority: 100
  resources:
    gpu: { quota: 8, limit: -1, overQuotaWeight: 1 }
    cpu: { quota: 64000, limit: 128000, overQuotaWeight: 2 }
""",
    "yunikorn": """\
partitions:
  - name: default
    placementrules:
      - { name: tag, value: namespace, create: true }
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: research
            resources:
              guaranteed: { memory: 4Gi, vcore: 4000m }
              max: { memory: 8Gi, vcore: 8 }
            limits: [{ limit: each, users: ["*"], maxapplications: 2 }]
""",
}

LANGUAGES: Final = tuple(sorted({*dialects(), *FOREIGN}))

#: Characters and tokens with a special meaning in YAML, HTML, databases or terminals.
SCRAPS: Final = (
    *"{}[]:-,#&*!|>'\"%@`?\t\r\n \0\x07\x0b\x0c\x1b\x7f\x85\u061c\u2028\u2029\u202e\ufeff\ud800😀",
    *("---\n", "...\n", "<<: *a", "&a ", "*a", "? ", "- - - ", "\r\n", "\n\t", "!!str ", "|9\n"),
    *("!!python/object/apply:os.system [x]", "!%C0%80 ", "%YAML 9.9\n---\n", '"\\ud800"', '"\\0"'),
    *("null", "~", "no", "010", "1_000", "12:30", "1e3", ".inf", ".nan", "-1", "0.0001", "1Ki"),
    *("9" * 400, "1e999999999", "<script>alert(7)</script>", "=1+1", "{{ org }}", "%s", "\\"),
    *('"\\\n', '["a\\\n', '{"\\'),
)


def _nested(depth: int) -> Any:
    value: Any = "x"
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


#: Values that replace others of a different type.
VALUES: Final = (
    *(None, True, False, 0, -1, 0.1, 2**31, 2**63, 10**400, 1e308, float("inf"), float("nan")),
    *("", " ", "\0", "\ud800", "a\nb", "a\x85b", "a\u2028b", "\u202eb", "=1+1", "0x10", "1_000"),
    *("9" * 400, "1e99999", "x" * 20_000, "<b onclick=alert(7)>", [], {}, [[]], [None], {"": ""}),
    *(_nested(30), _nested(100), ["a"] * 3_000, {"k" * 5_000: 1}),
    {f"k{number}": number for number in range(700)},
)


@cache
def good_texts(language: str) -> tuple[str, ...]:
    """Return valid texts of *language*."""
    dialect = dialects().get(language)
    texts = [*dialect.samples().values()] if dialect else [FOREIGN[language]]
    texts += _of_vectors(language)
    return tuple(dict.fromkeys(text for text in texts if len(text) < _LONG))


def _of_vectors(language: str) -> Iterator[str]:
    for path in sorted((_TESTS / "vectors" / language).glob("*.json")):
        for case in json.loads(path.read_text())[:20]:
            if "config" in case:
                yield case["config"]
            elif "objects" in case:
                yield yaml.dump_all(case["objects"], Dumper=yaml.CSafeDumper, sort_keys=False)


@st.composite
def bad_texts(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a language and a damaged text of it."""
    language = draw(st.sampled_from(LANGUAGES))
    way = draw(st.sampled_from((_lines, _scraps, _values, _values)))
    return language, way(draw, language)


def _lines(draw: st.DrawFn, language: str) -> str:
    """Draw a text with lines or words moved, repeated, cut off or misspelled."""
    dialect = dialects().get(language)
    if dialect is None:
        return _scraps(draw, language)
    return mutant(dialect, draw(st.integers(1, 9_999))).text


def _scraps(draw: st.DrawFn, language: str) -> str:
    """Draw a text with special tokens at random places."""
    text = draw(st.sampled_from(good_texts(language)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        more = draw(st.sampled_from(SCRAPS) | st.text(max_size=8))
        text = text[:at] + more + text[at + draw(st.sampled_from((0, 0, 1, 8, 40))) :]
    return text


def _values(draw: st.DrawFn, language: str) -> str:
    """Draw a text with keys or values of another type, too many, too long or too deep."""
    documents = deepcopy(_documents(draw(st.sampled_from(good_texts(language)))))
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(documents))
        holder, key = draw(st.sampled_from(places))
        value = deepcopy(draw(st.sampled_from(VALUES)))
        if isinstance(holder, dict) and draw(st.booleans()):
            # Replace the key and keep its value.
            new = value if isinstance(value, str | int | float | None) else str(value)
            holder[new] = holder.pop(key)
        else:
            holder[key] = value
    return draw(st.sampled_from(_WRITERS))(documents)


@cache
def _documents(text: str) -> list[Any]:
    return list(yaml.safe_load_all(text))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(entries):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


def _as_blocks(documents: list[Any]) -> str:
    return yaml.safe_dump_all(documents, allow_unicode=True, sort_keys=False)


def _in_brackets(documents: list[Any]) -> str:
    return yaml.safe_dump_all(documents, default_flow_style=True, width=10_000)


def _as_json(documents: list[Any]) -> str:
    return "\n---\n".join(json.dumps(each, ensure_ascii=False) for each in documents)


_WRITERS: Final[tuple[Callable[[list[Any]], str], ...]] = (_as_blocks, _in_brackets, _as_json)


#: Small texts with a huge meaning, and large texts without one.
BOMBS: Final = {
    "aliases of aliases": "- &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"- &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 20)),
    "one alias many times": f"a: &a [{'x,' * 1000}]\nresource_queues: [{'*a,' * 1000}]",
    "merges of merges": "m0: &m0 { a: 1 }\n"
    + "".join(f"m{n}: &m{n} {{ <<: [{f'*m{n - 1},' * 20}] }}\n" for n in range(1, 20)),
    "deep lists": "[" * 10_000,
    "deep mappings": "{a: " * 10_000,
    "deep dashes": "- " * 5_000,
    "deep questions": "? " * 5_000,
    "deep blocks": "".join(" " * depth + "a:\n" for depth in range(300)),
    "a key without end": f"{'k' * 50_000}: 1\nresource_queues: []",
    "a key without end, and much below it": f"? {'k' * 30_000}\n: [{'a,' * 30_000}]\n",
    "a key of many lines": '? "' + "k\\n" * 2_000 + '"\n: 1\n',
    "a key many times": "resource_queues: []\n" * 1_000,
    "many keys": "".join(f"k{number}: 1\n" for number in range(2_000)),
    "many queues of one name": "resource_queues:\n" + "- { name: a }\n" * 700,
    "an anchor without end": f"a: &{'b' * 100_000} [*{'b' * 100_000}]",
    "a comment without end, and a tag": f"a: #{'x' * 300_000}\n  !%C0%80 d",
    "a number without end": f"scheduling_rules: [priority_policy: {{ min: {'9' * 100_000} }}]",
    "tabs": "a:\n" + "\t" * 20_000 + "b: 1",
    "spaces": " " * 100_000 + "a: 1",
    "lines of nothing": "\n" * 20_000,
    "lines that end strangely": "a: 1\x85b: 2\u2028c: 3\rd: 4\x0ce: 5\x0bf: 6",
    "NUL": "resource_queues:\0[]",
    "escaped NUL": 'resource_queues: [{ name: "a\\0b" }]',
    "single surrogate": "resource_queues: [{ name: \ud800 }]",
    "escaped surrogate": 'resource_queues: [{ name: "\\ud800" }]',
    "byte order marks": "\ufeff\ufeffresource_queues: []\ufeff",
    "a block of text": "a: |\n" + "  x\n" * 8_000,
    "quotes": "'" * 60_001,
    "backslashes": 'a: "' + "\\\\" * 60_000,
    "documents": "---\n" * 5_000,
    "objects of Python": "!!python/object/apply:os.system [exit]",
    "more than may be": "#" * (1024**2 + 1),
}
