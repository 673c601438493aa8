"""Command lines of all processes; `docs/operations.md` lists them for other supervisors."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from django.conf import settings

from console.celery import BACKGROUND, CHECK_UPS, COMMON, IMPACT, SHARDS, WEBHOOKS

#: Grace period of requests in seconds: the server reads kept connections for 2 s more, and their
#: last requests can wait for another 2 s.
WEB_GRACE = 5

#: Admission and pages have priority: with all cores busy, impact gets about a quarter of one.
_IMPACT_NICENESS = 5

#: Maximum number of concurrent requests to receivers, one in each thread.
_WEBHOOK_THREADS = 16


def web(descriptor: int) -> list[str]:
    """Return the command of the web server; *descriptor* is the inherited listening socket."""
    return [
        *(sys.executable, "-m", "gunicorn", "--config", "python:console.server.gunicorn_config"),
        *("--bind", f"fd://{descriptor}"),
        *("--graceful-timeout", str(WEB_GRACE)),
        *("--log-level", "warning"),
    ]


def workers() -> dict[str, list[str]]:
    """
    Return the commands of the workers by name, each with a share of the shards.

    So an organization is always handled by the same process, which keeps its state in memory, and
    a long run delays only the organizations of the same shard.
    """
    count = settings.WORKER_PROCESSES
    shares = {
        f"worker-{index}": (COMMON, BACKGROUND, *SHARDS[index::count]) for index in range(count)
    }
    # One more worker for impact, with a lower priority.
    impact = ["nice", "-n", str(_IMPACT_NICENESS), *_worker("impact", (IMPACT, CHECK_UPS))]
    webhooks = [*_worker("webhooks", (WEBHOOKS,), _WEBHOOK_THREADS), "--pool", "threads"]
    admission = {name: _worker(name, queues) for name, queues in shares.items()}
    return admission | {"impact": impact, "webhooks": webhooks}


def _worker(name: str, queues: Iterable[str], concurrency: int = 1) -> list[str]:
    return [
        *(sys.executable, "-m", "celery", "--quiet", "--app", "console.celery", "worker"),
        *("--hostname", f"{name}@%h", "--concurrency", str(concurrency)),
        *("--queues", ",".join(queues)),
        "--without-gossip",
        "--without-mingle",
    ]


def beat() -> list[str]:
    """Return the command of Celery beat, of which there must be exactly one process."""
    return [sys.executable, "-m", "celery", "--quiet", "--app", "console.celery", "beat"]


def traffic(org: str, url: str) -> list[str]:
    """Return the command of the demo's traffic, at a low rate."""
    return [
        *(sys.executable, "manage.py", "traffic"),
        *("--org", org, "--url", url),
        *("--rate", "0.4", "--seconds", "0", "--burst", "30", "--user", org),
    ]
