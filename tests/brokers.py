"""A separate broker process for tests."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis, RedisError

from console.supervisor.broker import find_binary


@contextmanager
def serving_broker(folder: Path) -> Iterator[str]:
    """Run a broker without persistence and yield its URL; *folder* must have a short path."""
    path = folder / "s"
    server = subprocess.Popen(
        [find_binary(), "--port", "0", "--unixsocket", str(path), "--save", ""],
        cwd=folder,
        stdout=subprocess.DEVNULL,
    )
    try:
        client = Redis.from_url(f"unix://{path}")
        while True:
            try:
                client.ping()
                break
            except RedisError:
                assert server.poll() is None
                time.sleep(0.02)
        yield f"unix://{path}"
    finally:
        server.terminate()
        server.wait()
