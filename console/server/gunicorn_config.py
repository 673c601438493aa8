"""
Gunicorn's settings, for `gunicorn --config python:console.server.gunicorn_config`.

All processes share the preloaded code, and each has a role: most accept connections, and some
answer the expensive requests that those forward. A replacement process gets the missing role.
"""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings

from console.server.offload import Socket

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")

wsgi_app = "console.wsgi"
worker_class = "console.server.worker.BufferingWorker"
workers = settings.WEB_PROCESSES + settings.OFFLOAD_PROCESSES
# Processes rather than threads: two rendering threads wait for the GIL at every query,
# 5 ms at a time. The additional threads of each process are for requests that wait for decisions;
# requests that wait for another process have threads in addition.
threads = 3
# Load the code once, and share its memory.
preload_app = True
graceful_timeout = 30
control_socket_disable = True


def on_starting(server: Any) -> None:
    """Open the socket on which expensive requests are forwarded."""
    server.offload = Socket() if settings.OFFLOAD_PROCESSES else None
    server.generation = 0


def on_reload(server: Any) -> None:
    """Start a new generation, whose processes get all roles: the old ones are about to end."""
    server.generation += 1


def pre_fork(server: Any, worker: Any) -> None:
    """Give the missing role to a process that is about to start."""
    worker.offload = server.offload
    worker.generation = server.generation
    answering = sum(
        each.answers_expensive and each.generation == server.generation
        for each in server.WORKERS.values()
    )
    worker.answers_expensive = answering < settings.OFFLOAD_PROCESSES


def on_exit(server: Any) -> None:
    """Remove the socket."""
    if server.offload is not None:
        server.offload.close()
