"""The programs of all processes; `docs/operations.md` lists their command lines."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from socket import socket

from django.conf import settings

from console.celery import BACKGROUND, CHECK_UPS, COMMON, IMPACT, SHARDS, WEBHOOKS
from console.supervisor import broker
from console.supervisor.demo import USERS, Demo
from console.supervisor.programs import CommandProgram, ForkedProgram

#: Celery's command line tool, and the first arguments of all of its processes.
_CELERY_TOOL = "celery.__main__:main"
_CELERY = ("--quiet", "--app", "console.celery")

#: Grace period of requests in seconds: the server reads kept connections for 2 s more, and their
#: last requests can wait for another 2 s.
WEB_GRACE = 5

#: Admission and pages have priority: with all cores busy, impact gets about a quarter of one.
_IMPACT_NICENESS = 5

#: Maximum number of concurrent requests to receivers, one in each thread.
_WEBHOOK_THREADS = 16


def embedded_broker(environment: Mapping[str, str]) -> CommandProgram:
    """Return the embedded broker."""
    command = broker.command(settings.HOME)
    return CommandProgram(name="broker", command=command, environment=environment)


def web(listener: socket) -> ForkedProgram:
    """Return the web server, which accepts connections of the listening socket."""
    return ForkedProgram(
        name="web",
        tool="gunicorn.app.wsgiapp:run",
        arguments=[
            *("--config", "python:console.server.gunicorn_config"),
            *("--graceful-timeout", str(WEB_GRACE)),
            *("--log-level", "warning"),
            "--bind",
        ],
        listener=listener,
    )


def workers() -> Iterator[ForkedProgram]:
    """
    Yield the workers, each with some of the shards.

    An organization is therefore always handled by the same process, which keeps its state in
    memory, and a long run delays only the organizations of the same process.
    """
    count = settings.WORKER_PROCESSES
    for index in range(count):
        yield _worker(f"worker-{index}", (COMMON, BACKGROUND, *SHARDS[index::count]))
    # One more worker for impact, with a lower priority.
    yield _worker("impact", (IMPACT, CHECK_UPS), niceness=_IMPACT_NICENESS)
    yield _worker("webhooks", (WEBHOOKS,), _WEBHOOK_THREADS, "--pool", "threads")


def _worker(
    name: str, queues: Iterable[str], concurrency: int = 1, *more: str, niceness: int = 0
) -> ForkedProgram:
    arguments = [
        *(*_CELERY, "worker"),
        *("--hostname", f"{name}@%h", "--concurrency", str(concurrency)),
        *("--queues", ",".join(queues)),
        "--without-gossip",
        "--without-mingle",
        *more,
    ]
    return ForkedProgram(name=name, tool=_CELERY_TOOL, arguments=arguments, niceness=niceness)


def beat() -> ForkedProgram:
    """Return Celery beat, of which there must be exactly one process."""
    return ForkedProgram(name="beat", tool=_CELERY_TOOL, arguments=[*_CELERY, "beat"])


def traffic(demo: Demo, url: str, environment: Mapping[str, str]) -> CommandProgram:
    """Return the traffic of a demo, at a low rate; the other processes do not depend on it."""
    command = [
        *(sys.executable, "manage.py", "traffic"),
        *("--org", demo.slug, "--mix", demo.mix, "--url", url),
        *("--rate", "0.3", "--seconds", "0", "--burst", "30"),
        # The first user is that of the traffic of earlier releases.
        *(word for user in (demo.slug, *USERS) for word in ("--user", user)),
    ]
    return CommandProgram(
        name=f"traffic-{demo.slug}", command=command, environment=environment, vital=False
    )
