"""
A network of a test's own, loopback alone, in which what is sent can be lost.

A process that is killed says goodbye: its machine closes its connections. One whose machine lost
power, or that is behind a network that drops packets, says nothing, and only this shows who would
wait for it.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

#: What `unshare` and `setns` call a network (linux/sched.h).
_NEWNET = 0x40000000

_TABLE = "silence"


@contextmanager
def own_network() -> Iterator[None]:
    """
    Have a loopback for this thread and what it starts.

    Where that is not allowed, or `ip` or `nft` is missing, the test is left out.
    """
    _find_tools()
    libc = ctypes.CDLL(None, use_errno=True)
    usual = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        if libc.unshare(_NEWNET):
            reason = os.strerror(ctypes.get_errno())
            pytest.skip(f"A network of one's own cannot be made here: {reason}")
        try:
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
            yield
        finally:
            assert libc.setns(usual, _NEWNET) == 0, os.strerror(ctypes.get_errno())
    finally:
        os.close(usual)


@contextmanager
def silent(port: int) -> Iterator[None]:
    """Lose whatever is sent from and to *port* of an `own_network`, without a word to anybody."""
    chain = f"ip {_TABLE} in"
    rules = [
        f"add table ip {_TABLE}",
        f"add chain {chain} {{ type filter hook input priority 0; }}",
        *(f"add rule {chain} tcp {end} {port} drop" for end in ("dport", "sport")),
    ]
    subprocess.run(["nft", "; ".join(rules)], check=True)
    try:
        yield
    finally:
        subprocess.run(["nft", "delete", "table", "ip", _TABLE], check=True)


def _find_tools() -> None:
    """Go on if there is what changes a network."""
    if shutil.which("ip") and shutil.which("nft"):
        return
    missing = "There is no ip or no nft: install them (on Debian: apt install iproute2 nftables)."
    if os.environ.get("CI") == "true":
        pytest.fail(missing)
    pytest.skip(missing)
