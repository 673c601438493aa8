"""Properties of series: associative merging, hours equal to their minutes, accurate quantiles."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from console.series.coverage import HOUR, MINUTE, between, gaps, is_sampled
from console.series.models import Step
from console.series.readings import Reading, coarser_readings, hour_totals, minute_readings
from console.series.totals import (
    Cell,
    Level,
    StoredCells,
    Totals,
    decode_demand,
    encode_cells,
    encode_demand,
    merge,
)
from console.series.waits import LEAST, NO_WAIT, bucket_of, quantiles, seconds_of

#: No deadline: the tests are not about speed.
RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

HOUR_START = datetime(2026, 3, 14, 12, tzinfo=UTC)

amounts = st.integers(0, 2**80)
keys = st.tuples(st.sampled_from(["spot", "a/b"]), st.sampled_from(["gpu", "nvidia.com/gpu"]))


@st.composite
def minute_totals(draw: st.DrawFn) -> Totals:
    """Draw the totals of one minute."""
    cells = draw(st.dictionaries(keys, st.lists(amounts, min_size=4, max_size=4), max_size=2))
    demand = draw(st.dictionaries(st.sampled_from(["gpu", "cpu"]), amounts, max_size=2))
    return Totals(
        minutes=1,
        running=Level.of(draw(st.integers(0, 9))),
        pending=Level.of(draw(st.integers(0, 9))),
        cells={key: Cell(*map(Level.of, values)) for key, values in cells.items()},
        demand={name: Level.of(value) for name, value in demand.items()},
        tightest=draw(st.integers(0, 1000)),
    )


@st.composite
def hours(draw: st.DrawFn) -> tuple[list[tuple[datetime, Totals]], int]:
    """Draw the rows of an hour, each in a sampled minute, and the sampled minutes."""
    bits = draw(st.integers(0, 2**60 - 1))
    sampled = [minute for minute in range(60) if bits >> minute & 1]
    starts = sorted(draw(st.sets(st.sampled_from(sampled), max_size=6))) if sampled else []
    rows = [(HOUR_START + minute * MINUTE, draw(minute_totals())) for minute in starts]
    return rows, bits


@RELAXED
@given(st.lists(minute_totals(), max_size=6), st.randoms(), st.integers(0, 6))
def test_totals_merge_in_any_order_and_grouping(parts, random, cut) -> None:
    shuffled = random.sample(parts, len(parts))
    assert merge(shuffled) == merge(parts)
    assert merge([merge(parts[:cut]), merge(parts[cut:])]) == merge(parts)


@RELAXED
@given(hours())
def test_the_minutes_of_an_hour_are_its_hour(hour) -> None:
    rows, bits = hour
    end = HOUR_START + HOUR
    minutes = minute_readings(rows, {HOUR_START: bits}, HOUR_START, end)
    whole = hour_totals(rows, bits)
    assert merge(reading.totals for reading in minutes) == whole
    assert whole.minutes == bits.bit_count() == sum(not reading.is_gap for reading in minutes)
    (folded_hour,) = coarser_readings(minutes, Step.HOUR, HOUR_START, end)
    assert folded_hour == Reading(HOUR_START, whole)


@RELAXED
@given(minute_totals(), st.integers(1, 60))
def test_a_minute_that_lasts_is_that_many_alike(totals: Totals, count: int) -> None:
    assert totals.times(count) == merge([totals] * count)


@RELAXED
@given(minute_totals())
def test_rows_keep_totals_exactly(totals: Totals) -> None:
    assert StoredCells(encode_cells(totals.cells)) == totals.cells
    assert decode_demand(encode_demand(totals.demand)) == totals.demand


@RELAXED
@given(st.dictionaries(st.integers(0, 4), st.integers(0, 2**60 - 1)), st.integers(0, 300),
       st.integers(0, 200))  # fmt: skip
def test_gaps_are_exactly_the_minutes_that_nobody_sampled(bits, first: int, length: int) -> None:
    covered = {HOUR_START + number * HOUR: found for number, found in bits.items()}
    since = HOUR_START + first * MINUTE
    until = since + length * MINUTE
    inside = set()
    spans = list(gaps(covered, since, until))
    for begin, end in spans:
        assert since <= begin < end <= until
        inside |= {begin + n * MINUTE for n in range((end - begin) // MINUTE)}
    everything = {since + n * MINUTE for n in range(length)}
    assert inside == {minute for minute in everything if not is_sampled(covered, minute)}
    # Adjacent gaps are joined.
    assert all(one[1] < other[0] for one, other in pairwise(spans))


@RELAXED
@given(st.integers(0, 2**60 - 1), st.integers(0, 60), st.integers(0, 60))
def test_minutes_between_are_counted(bits: int, first: int, end: int) -> None:
    assert between(bits, first, end) == sum(bits >> n & 1 for n in range(first, end))


@RELAXED
@given(st.floats(0, 3e7))
def test_a_bucket_is_within_its_error_of_every_wait_in_it(seconds: float) -> None:
    told = seconds_of(bucket_of(seconds))
    assert abs(told - seconds) <= max(LEAST, 0.045 * seconds)


@RELAXED
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=200))
def test_quantiles_of_buckets_are_near_those_of_the_waits(waits: list[float]) -> None:
    counts: dict[int, int] = {NO_WAIT: 7}
    for wait in waits:
        counts[bucket_of(wait)] = counts.get(bucket_of(wait), 0) + 1
    found = quantiles(counts)
    assert found.n == len(waits)
    for percent, told in ((50, found.p50), (95, found.p95)):
        if percent == 95 and len(waits) < 20:
            assert told is None
            continue
        true = sorted(waits)[-(-len(waits) * percent // 100) - 1]
        assert told is not None
        assert abs(told - true) <= max(LEAST, 0.045 * true)


def test_without_waits_there_is_nothing_to_say() -> None:
    found = quantiles({NO_WAIT: 3})
    assert (found.p50, found.p95, found.n) == (None, None, 0)


def test_a_whole_year_of_gaps_is_one_gap() -> None:
    until = HOUR_START + timedelta(days=365)
    assert list(gaps({}, HOUR_START, until)) == [(HOUR_START, until)]
