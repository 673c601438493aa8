"""How each process is started; `docs/operations.md` gives the same lines for other supervisors."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from django.conf import settings

from console.celery import BACKGROUND, CHECK_UPS, COMMON, IMPACT, SHARDS, WEBHOOKS

#: Seconds that requests have to end in: the server reads connections that are kept for 2 s more,
#: and what it reads last may wait for another 2.
WEB_GRACE = 5

#: Admission and pages go first: with all cores busy, impact gets about a quarter of one.
_IMPACT_NICENESS = 5

#: Receivers that are waited for at a time; each waits in a thread.
_WEBHOOK_THREADS = 16


def web(descriptor: int) -> list[str]:
    """Return the web server's command; *descriptor* is the listening socket it inherits."""
    return [
        *(sys.executable, "-m", "gunicorn", "--config", "python:console.server.gunicorn_config"),
        *("--bind", f"fd://{descriptor}"),
        *("--graceful-timeout", str(WEB_GRACE)),
        *("--log-level", "warning"),
    ]


def workers() -> dict[str, list[str]]:
    """
    Return the workers' commands by name, each with a share of the shards.

    An organization then always meets the same process, which has its state warm,
    and one with a long run delays only those of its own shard.
    """
    count = settings.WORKER_PROCESSES
    shares = {
        f"worker-{index}": (COMMON, BACKGROUND, *SHARDS[index::count]) for index in range(count)
    }
    # One more for impact, behind all others when cores are short.
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
    """Return the command of the process that wakes the workers; there must be exactly one."""
    return [sys.executable, "-m", "celery", "--quiet", "--app", "console.celery", "beat"]


def traffic(org: str, url: str) -> list[str]:
    """Return the command of the demo's traffic, light enough to watch."""
    return [
        *(sys.executable, "manage.py", "traffic"),
        *("--org", org, "--url", url),
        *("--rate", "0.4", "--seconds", "0", "--burst", "30", "--user", org),
    ]
