"""Sections of documents: titles, anchors and texts, without rendering."""

from __future__ import annotations

import pytest

from console.documentation.contents import NamedGroup, read_contents
from console.documentation.sections import Section, read_sections

_DOCUMENT = """\
# The *list* of `queues`

Before [the first](queues.md#one) heading.

<picture>
  <img src="images/a.png" alt="A picture">
</picture>

## Limits

| field | meaning |
|---|---|
| `max_size` | at most 3 |

## Limits #

```sh
# no heading
curl "$URL"
```

### KUE056 A rule, and \\*more\\*

1. One `code
   span`
2. Two
> Quoted
"""


def test_sections_have_anchors_of_viewers_and_plain_texts() -> None:
    sections = read_sections(_DOCUMENT)
    assert sections == (
        Section(1, "The list of queues", "the-list-of-queues", "Before the first heading."),
        Section(2, "Limits", "limits", "field · meaning max_size · at most 3"),
        Section(2, "Limits", "limits-1", '# no heading curl "$URL"'),
        Section(
            3, "KUE056 A rule, and *more*", "kue056-a-rule-and-more", "One code span Two Quoted"
        ),
    )
    assert [each.code for each in sections] == ["", "", "", "KUE056"]


@pytest.mark.parametrize("text", ["", "no heading", "#no space", "```\n# in code", "####### seven"])
def test_a_text_without_headings_has_no_sections(text: str) -> None:
    assert read_sections(text) == ()


def test_contents_group_each_document_under_the_first_heading_that_links_it() -> None:
    index = (
        "# All\n[start](start.md)\n## First\n| a | [a](a.md), [b](b.md#part) |\n"
        "## Links elsewhere\n[out](../README.md)\n## Second\n[a](a.md) [c](c.md)\n"
    )
    assert read_contents(index) == (
        NamedGroup("First", ("a", "b")),
        NamedGroup("Second", ("c",)),
    )
