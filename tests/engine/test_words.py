"""Formatting of amounts and lists."""

from __future__ import annotations

import pytest

from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.wording.words import amounts, cut, quantity, share

KI, MI, GI = 2**10, 2**20, 2**30


@pytest.mark.parametrize(
    ("units", "resource", "written"),
    [
        (64 * GI, "memory", "64Gi"),
        (64 * GI, "ephemeral-storage", "64Gi"),
        (64 * GI, "hugepages-2Mi", "64Gi"),
        (1536 * MI, "memory", "1536Mi"),
        (GI + KI, "memory", "1048577Ki"),
        (GI + 1, "memory", "1073741825"),
        (MI, "memory", "1Mi"),
        (-2 * GI, "memory", "-2Gi"),
        (3 * 2**60, "memory", "3Ei"),
        # Multiples of powers of ten get the shortest exact form.
        (64 * 10**9, "memory", "64G"),
        (10**6 * KI, "memory", "1024M"),
        # Not an amount of bytes, or too small for a suffix.
        (MI - 1, "memory", "1048575"),
        (512, "memory", "512"),
        (0, "memory", "0"),
        (64 * GI, "nvidia.com/gpu", "68719476736"),
        (64 * GI, "memory.example.com/gpu", "68719476736"),
    ],
)
def test_bytes_are_written_as_kubernetes_writes_them(
    units: int, resource: str, written: str
) -> None:
    assert quantity(units * 1000, resource) == written


@pytest.mark.parametrize(
    ("amount", "written"),
    [(UNLIMITED, "unlimited"), (GI * 1000 + 500, "1073741824.5"), (1500, "1.5")],
)
def test_other_amounts_of_memory_are_plain(amount: Amount, written: str) -> None:
    assert quantity(amount, "memory") == written


def test_requests_are_sorted_by_resource() -> None:
    asked = {"memory": 8 * GI * 1000, "cpu": 1500}
    assert amounts(asked) == "1.5 CPUs, 8Gi memory"


def test_long_lists_are_cut() -> None:
    assert cut("abcde") == "a, b, c, d and e"
    assert cut("abcdefg") == "a, b, c, d, e and 2 more"


@pytest.mark.parametrize(
    ("thousandths", "written"), [(333, "33.3%"), (200, "20%"), (0, "0%"), (None, "unbounded")]
)
def test_shares_are_percent(thousandths: int | None, written: str) -> None:
    assert share(thousandths) == written
