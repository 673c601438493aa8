"""
A private network for tests, with loopback only, in which packets can be dropped.

When a process is killed, its machine closes its connections. When a machine loses power, or a
network drops packets, nothing is sent, and only such a network shows which processes would wait.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

#: CLONE_NEWNET, the flag of `unshare` and `setns` for a network namespace (linux/sched.h).
_NEWNET = 0x40000000

_TABLE = "silence"


@contextmanager
def own_network() -> Iterator[None]:
    """
    Move this thread, and processes that it starts, to a network namespace with a loopback.

    The test is skipped where that is not allowed, or where `ip` or `nft` is missing.
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
    """Drop all packets from and to *port* of an `own_network`, without any notification."""
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
    """Skip the test if the network tools are missing."""
    if shutil.which("ip") and shutil.which("nft"):
        return
    missing = "There is no ip or no nft: install them (on Debian: apt install iproute2 nftables)."
    if os.environ.get("CI") == "true":
        pytest.fail(missing)
    pytest.skip(missing)
