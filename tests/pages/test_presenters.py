"""Presenters: linking names and splitting lines lose no text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from console.pages.presenters.configs.source import SourcePart, source_lines
from console.pages.presenters.workloads.workload import link_names


@given(st.text(alphabet="a: -#'\"{}\t", max_size=40))
def test_the_parts_of_a_line_are_the_line(text: str) -> None:
    lines = source_lines(text, SourcePart(first=1, last=len(text) + 1, is_loaded=True))
    found = [f"{line.lead}{line.key}{line.rest}{line.comment}" for line in lines]
    assert found == text.splitlines()


@given(st.text(alphabet="ab. ", max_size=20), st.dictionaries(st.sampled_from("12"), st.text("ab")))
def test_linking_names_loses_no_text(text: str, others: dict[str, str]) -> None:
    found = link_names(text, {uid: name or uid for uid, name in others.items()})
    assert "".join(part.text for part in found).startswith(text)
    assert {part.uid for part in found if part.uid} == set(others)
