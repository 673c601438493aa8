"""
Simulated dashboards that poll as a browser does, many in one process with little CPU.

Reads one JSON object from its input and writes one to its output; `dashboards.py` starts it. Each
dashboard opens its page, and then polls it every two seconds with the version that it shows, over a
new connection each time: the server closes a connection that is idle for as long.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Final

#: Seconds between two polls of a dashboard, as in `static/js/live.js`.
EVERY: Final = 2.0
#: Seconds after which a poll counts as unanswered.
PATIENCE: Final = 10.0

#: Patterns of the version in the headers of a poll, and in a page.
_VERSION = re.compile(rb'X-Live-Stamp: ([^\r]*)|id="live-poll" data-version="([^"]*)"')


@dataclass(slots=True)
class Onlooker:
    """An open page of a signed-in person."""

    path: str
    cookie: str
    version: str = ""
    #: Status, milliseconds and bytes of each poll that began during the measurement.
    polls: list[tuple[int, float, int]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


async def _ask(port: int, target: str, cookie: str) -> tuple[int, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    try:
        head = f"GET {target} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n"
        head += "Accept-Encoding: gzip\r\n"
        writer.write(f"{head}Connection: close\r\n\r\n".encode())
        answer = await reader.read(-1)
    finally:
        writer.close()
    return int(answer[:12].split(b" ", 2)[1]), answer


async def _watch(
    one: Onlooker, port: int, starts: float, counts: tuple[float, float], ends: float
) -> None:
    await asyncio.sleep(starts - time.monotonic())
    mark = "&" if "?" in one.path else "?"
    while time.monotonic() < ends:
        begun = time.monotonic()
        target = f"{one.path}{mark}v={one.version}" if one.version else one.path
        try:
            status, answer = await asyncio.wait_for(_ask(port, target, one.cookie), PATIENCE)
        except (OSError, TimeoutError, ValueError, IndexError) as error:
            one.errors.append(f"{target}: {error!r}")
        else:
            took = (time.monotonic() - begun) * 1000
            found = _VERSION.search(answer)
            if status not in (200, 204) or (status == 200 and not found):
                one.errors.append(f"{target}: {status}")
            if counts[0] <= begun <= counts[1] and one.version:
                one.polls.append((status, took, len(answer)))
            if found:
                one.version = (found[1] or found[2]).decode()
        await asyncio.sleep(EVERY)


async def watch(
    port: int, pages: list[tuple[str, str]], warm: float, seconds: float, quiet: float
) -> list[Any]:
    """
    Open *pages* (path and cookie), poll them for *seconds*, and return the results of each.

    The first *warm* seconds do not count: pages are opened in them, evenly. Nor do the last *quiet*
    ones.
    """
    begun = time.monotonic()
    onlookers = [Onlooker(path, cookie) for path, cookie in pages]
    async with asyncio.TaskGroup() as group:
        for number, one in enumerate(onlookers):
            starts = begun + warm * 0.8 * number / len(onlookers)
            counts = begun + warm, begun + seconds - quiet
            group.create_task(_watch(one, port, starts, counts, begun + seconds))
    return [
        {"path": one.path, "version": one.version, "polls": one.polls, "errors": one.errors}
        for one in onlookers
    ]


def main() -> None:
    """Run the dashboards of the input; print the results and the CPU seconds used."""
    asked = json.load(sys.stdin)
    met = asyncio.run(watch(**asked))
    json.dump({"onlookers": met, "cpu": time.process_time()}, sys.stdout)


if __name__ == "__main__":
    main()
