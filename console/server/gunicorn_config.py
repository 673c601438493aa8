"""
Gunicorn's settings, for `gunicorn --config python:console.server.gunicorn_config`.

Every process has the code of the first one, and a part: most take connections, some answer the
expensive requests that those hand on. What replaces a process that ended gets the part of that.
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
# Processes rather than threads: two threads that render wait for each other's turn in Python at
# every query, 5 ms at a time. The others of each process are for requests that wait for decisions;
# those that wait for another process have threads of their own.
threads = 3
# Loads the code once and shares its memory.
preload_app = True
graceful_timeout = 30
control_socket_disable = True


def on_starting(server: Any) -> None:
    """Open the socket that expensive requests are handed on by."""
    server.offload = Socket() if settings.OFFLOAD_PROCESSES else None
    server.generation = 0


def on_reload(server: Any) -> None:
    """Give the parts to new processes: those that have them are about to end."""
    server.generation += 1


def pre_fork(server: Any, worker: Any) -> None:
    """Give a process that is about to begin the part that is missing."""
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
