"""Search in documents: order, excerpts with marks, and texts without results."""

from __future__ import annotations

import pytest

from console.documentation.library import library
from console.documentation.search import Hit, search
from tests.documentation.conftest import Write


def shown(hits: list[Hit]) -> list[tuple[str, str, str]]:
    """Return address, title and excerpt of hits, with marked words in brackets."""

    def text(pieces) -> str:
        return "".join(f"[{each.text}]" if each.is_match else each.text for each in pieces)

    return [(hit.url, text(hit.title), text(hit.excerpt)) for hit in hits]


def test_titles_come_first_then_pages_then_texts(write: Write) -> None:
    known = write(
        README="# All\n\nhold [a](a.md)\n\n## First\n\n[a](a.md) [b](b.md)\n",
        a="# Queues\n\nA Hold stops.\n\n## Hold a queue\n\nPress it.\n\n## Other\n\nNo.\n",
        b="# Holds\n\n## Ends\n\nThe hold ends later.\n",
    )
    assert shown(search(known, "HOLD").hits(0, 9)) == [
        ("/docs/b/", "[Hold]s", ""),
        ("/docs/a/#hold-a-queue", "[Hold] a queue", "Press it."),
        ("/docs/b/#ends", "Ends", "The [hold] ends later."),
        ("/docs/a/", "Queues", "A [Hold] stops."),
    ]
    assert shown(search(known, "queues press").hits(0, 9)) == [
        ("/docs/a/#hold-a-queue", "Hold a queue", "[Press] it."),
    ]


def test_words_match_the_beginning_of_words_and_short_ones_whole_words(write: Write) -> None:
    known = write(a="# Api\n\nAn array has a max_size, a nominalQuota (3 gpu) and --json.\n")
    counts = {
        "arr": 1,
        "rray": 0,
        "size": 1,
        "quota": 1,
        "uota": 0,
        "MAX_S": 1,
        "max size": 1,
        "ar": 0,
        "a": 1,
        "gpu 3": 1,
        "(3": 1,
        "--js": 1,
        "js": 0,
        "3 4": 0,
    }
    assert {each: len(search(known, each)) for each in counts} == counts


def test_an_excerpt_begins_near_the_words_and_ends_between_words(write: Write) -> None:
    filler = "lorem ipsum " * 40
    known = write(a=f"# A\n\nalpha {filler}alpha and omega {filler}\n")
    ((_, _, excerpt),) = shown(search(known, "alpha omega").hits(0, 9))
    assert excerpt.startswith("… ")
    assert "[alpha] and [omega] lorem" in excerpt
    assert excerpt.endswith((" lorem …", " ipsum …"))
    assert len(excerpt) < 240


def test_whole_words_come_before_beginnings_and_diagnostics_last(write: Write) -> None:
    known = write(
        a="# A\n\n## NAT001 Port\n\nx\n\n## Portable\n\nx\n\n## Ports of a node\n\nx\n",
        b="# B\n\n## C\n\nA portable one.\n\n## D\n\nA port.\n",
    )
    assert [hit.url for hit in search(known, "port").hits(0, 9)] == [
        "/docs/a/#ports-of-a-node",
        "/docs/a/#portable",
        "/docs/a/#nat001-port",
        "/docs/b/#d",
        "/docs/b/#c",
    ]


@pytest.mark.parametrize(
    "text", ["", "  ", "no-such-word", "(", "[a-z", "\\", "queue no-such-word"]
)
def test_texts_without_results(text: str) -> None:
    found = search(library(), text)
    assert len(found) == len(found.hits(0, 1000))
    assert text.startswith(("(", "[", "\\")) or len(found) == 0


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("NAT020", "/docs/diagnostics/#nat020-no-rule-matches-every-workload"),
        ("hold and resume", "/docs/queues/#hold-and-resume"),
        ("retention", "/docs/operations/#retention"),
        ("glossary", "/docs/concepts/#glossary"),
        ("executor", "/docs/api/#read-and-execute-decisions-executor"),
        ("receive decisions", "/docs/api/#read-and-execute-decisions-executor"),
    ],
)
def test_the_documentation_is_found_by_title(text: str, first: str) -> None:
    assert search(library(), text).hits(0, 1)[0].url == first
