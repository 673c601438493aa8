"""The cache of readings: keyed by text and relevant past specs, and bounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from console.dialects import dialects
from console.dialects import reading_cache as kept
from console.dialects.base import Dialect, PastSpec, Reading
from console.dialects.reading_cache import clear_cached_readings, read_cached

EVERY = pytest.mark.parametrize("dialect", dialects().values(), ids=dialects())

TEXT = """\
resource_flavors: [{name: any}]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 4}]}]
"""


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    clear_cached_readings()
    yield
    clear_cached_readings()


def counted(dialect: Dialect) -> tuple[Dialect, list[str | bytes]]:
    """Return *dialect* wrapped to record the texts it reads, and that list."""
    read: list[str | bytes] = []

    def noted(text: str | bytes, past: object) -> Reading:
        read.append(text)
        return dialect.read(text, past)  # type: ignore[arg-type]

    return replace(dialect, read=noted), read


@EVERY
def test_a_text_is_read_once(dialect: Dialect) -> None:
    watched, read = counted(dialect)
    texts = [*dialect.samples().values(), "what: [is\n"]
    for text in (*texts, *texts):
        assert read_cached(watched, text, {}) == dialect.read(text, {})
    assert read == texts


@EVERY
def test_past_without_differences_shares_the_cached_reading(dialect: Dialect) -> None:
    watched, read = counted(dialect)
    for text in dialect.samples().values():
        specs = dialect.read(text, {}).queue_specs
        past = {name: PastSpec(version=3, spec=spec) for name, spec in specs.items()}
        past["gone"] = PastSpec(version=1, spec={})
        assert read_cached(watched, text, past) == dialect.read(text, past)
        assert read_cached(watched, text, {}) == dialect.read(text, {})
    assert read == list(dialect.samples().values())


def test_pasts_with_differences_have_separate_readings() -> None:
    native = dialects()["native"]
    (spec,) = native.read(TEXT, {}).queue_specs.values()
    other, third = {**spec, "cohort_name": "lab"}, {**spec, "cohort_name": "hall"}
    pasts = [
        {"train": PastSpec(version=version, spec=fixed), **more}
        for version, fixed, more in (
            (1, other, {}),
            (2, other, {}),
            (1, third, {}),
            # The proposed name for a changed queue depends on the names in use.
            (1, other, {"train:v2": PastSpec(version=1, spec=spec)}),
            (1, spec, {}),
        )
    ]
    for past in (*pasts, *reversed(pasts)):
        assert read_cached(native, TEXT, past) == native.read(TEXT, past)
    told = {read_cached(native, TEXT, past).diagnostics for past in pasts}
    assert len(told) == len(pasts)


def test_least_recently_used_readings_are_evicted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept, "MOST_READINGS", 3)
    monkeypatch.setattr(kept, "MOST_CHARACTERS", 100)
    watched, read = counted(dialects()["native"])

    def anew(*texts: str) -> list[str | bytes]:
        read.clear()
        for text in texts:
            read_cached(watched, text, {})
        return list(read)

    short = ["# 1", "# 2", "# 3", "# 4"]
    assert anew(*short[:3], short[0], short[3], short[0]) == short
    assert anew(short[1]) == [short[1]], "of three, the one that was not used longest went"
    assert anew(short[0]) == []
    long, longest = "#" * 97, "#" * 101
    assert anew(long, longest, long, longest) == [long, longest, longest]
    assert anew(short[0]) == [], "there was room for both"
    assert anew("#" * 98, long) == ["#" * 98, long], "but not for more"
