"""Start all processes in order, watch them, and stop them in order."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from redis import RedisError

from console import broker as broker_client
from console.migrating.skew import find_skew
from console.supervisor import commands, demo, static
from console.supervisor.children import Children
from console.supervisor.failure import StartFailed
from console.supervisor.first_start import (
    Welcome,
    fill_empty_database,
    keep_secret_key,
    welcome_owner,
)
from console.supervisor.forked import start_fork_server
from console.supervisor.listener import listen, url_of
from console.supervisor.lock import hold
from console.supervisor.readiness import answer

#: Maximum duration of a start in seconds.
_PATIENCE = 60

#: Grace period of the children in seconds. Killing them afterwards loses nothing: requests are
#: rows, and an interrupted task is run again.
_GRACE = commands.WEB_GRACE + 1


def up(port: int) -> int:
    """
    Run until interrupted, and return the exit status: 0 after a requested stop.

    Raises StartFailed if a process cannot be started. A process that ends later is restarted, and
    continues from rows and queued messages. If a vital process keeps ending, all processes are
    stopped.
    """
    # SIGINT too, because a shell script that starts this in the background ignores it.
    _treat_as_interrupt(signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    # A name in front of a JSON line would make it invalid JSON.
    named = settings.LOG_FORMAT == "console"
    children = Children(str(settings.BASE_DIR), sys.stdout.buffer, named=named)
    try:
        with hold(settings.HOME), listen(settings.HOST, port) as listener:
            try:
                _start(children, listener)
                while True:
                    children.forward(0.5)
                    _revive(children)
            finally:
                _stop(children)
    except KeyboardInterrupt:
        return 0


def _start(children: Children, listener: socket.socket) -> None:
    keep_secret_key(settings.HOME)
    environment = _environment(listener.getsockname()[1])
    # The fork server loads the code of web and workers while the database is prepared.
    start_fork_server(str(settings.BASE_DIR), environment)
    if settings.REDIS_IS_EMBEDDED:
        children.start(commands.embedded_broker(environment))
    _prepare_database()
    static.collect(settings.HOME)
    _wait_for_broker(children)
    fill_empty_database(with_demo=settings.DEMO, say=_say)
    children.start(commands.web(listener))
    for worker in commands.workers():
        children.start(worker)
    children.start(commands.beat())
    host, actual_port = _reachable(listener)
    _wait_until_ready(children, host, actual_port)
    _greet(url_of(settings.HOST, actual_port), welcome_owner())
    for each in demo.existing() if settings.DEMO else ():
        children.start(commands.traffic(each, url_of(host, actual_port), environment))


def _environment(port: int) -> dict[str, str]:
    return {
        **os.environ,
        # The actual port if any free one was requested; URLs contain it.
        "PORT": str(port),
        "DJANGO_SETTINGS_MODULE": "console.settings",
        "SLUICE_HOME": str(settings.HOME.folder),
        "PYTHONUNBUFFERED": "1",
        # setproctitle must not overwrite the environment, which tools read.
        "SPT_NOENV": "1",
    }


def _prepare_database() -> None:
    try:
        call_command("migrate", interactive=False, verbosity=0)
        newer = find_skew().newer
    except CommandError as error:
        raise StartFailed(str(error)) from error
    except DatabaseError as error:
        raise StartFailed(
            f"The database cannot be used ({_first_line(error)}); check DATABASE_URL."
        ) from error
    _say(newer)


def _wait_for_broker(children: Children) -> None:
    failure = ""

    def answers() -> bool:
        nonlocal failure
        try:
            broker_client.client().ping()
        except RedisError as error:
            failure = _first_line(error)
            return False
        return True

    patience = 10 if settings.REDIS_IS_EMBEDDED else 5
    if not _wait(children, answers, patience):
        raise StartFailed(f"The broker does not answer ({failure}); check REDIS_URL.")
    _say(broker_client.version_warning())


def _wait_until_ready(children: Children, host: str, port: int) -> None:
    body: dict[str, object] = {}

    def ready() -> bool:
        nonlocal body
        status, body = answer(host, port, "/readyz")
        return status == 200

    if not _wait(children, lambda: answer(host, port, "/healthz")[0] == 200, _PATIENCE):
        raise StartFailed(f"The web process did not answer within {_PATIENCE} seconds.")
    if not _wait(children, ready, _PATIENCE):
        raise StartFailed(f"Not ready within {_PATIENCE} seconds: {body.get('checks')}.")


def _wait(children: Children, check: Callable[[], bool], seconds: float) -> bool:
    """Call *check* every 50 ms for up to *seconds*; return whether it became true."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if check():
            return True
        pause = time.monotonic() + 0.05
        while (rest := pause - time.monotonic()) > 0:
            _watch(children, rest)
    return False


def _revive(children: Children) -> None:
    while (child := children.ended()) is not None:
        status = child.process.returncode
        if children.revive(child):
            _say(f"The {child.name} process ended (status {status}) and was restarted.")
        elif child.program.vital:
            raise StartFailed(
                f"The {child.name} process keeps ending (status {status}), so all processes were "
                f"stopped; {_where(child.name)} may show the cause."
            )
        else:
            children.drop(child)
            _say(f"The {child.name} process keeps ending (status {status}) and is not restarted.")


def _watch(children: Children, seconds: float) -> None:
    children.forward(seconds)
    child = children.ended()
    if child is not None:
        raise StartFailed(
            f"The {child.name} process ended with status {child.process.returncode}, so all "
            f"processes were stopped; {_where(child.name)} may show the cause."
        )


def _where(name: str) -> str:
    return str(settings.HOME.broker_log) if name == "broker" else "its last lines above"


def _say(sentence: str) -> None:
    if sentence:
        sys.stdout.write(f"{sentence}\n")
        sys.stdout.flush()


def _greet(url: str, welcome: Welcome | None) -> None:
    lines = [f"Sluice is ready at {url}"]
    if welcome:
        lines += [
            "",
            f"  Sign in as  {welcome.email}",
            f"  Password    {welcome.password}",
            "",
            "The password is shown only once; `manage.py reset_password` sets a new one.",
        ]
    sys.stdout.write("\n".join(["", *lines, "Ctrl-C stops all processes.", "", ""]))
    sys.stdout.flush()


def _stop(children: Children) -> None:
    # From here on, a second Ctrl-C must not leave processes running.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    children.stop([name for name in children.names() if name != "broker"], _GRACE)
    # Last, because the other processes use it until they end.
    children.stop(["broker"], 1)


def _treat_as_interrupt(*numbers: signal.Signals) -> None:
    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    for number in numbers:
        signal.signal(number, interrupt)


def _reachable(listener: socket.socket) -> tuple[str, int]:
    """Return the address at which this machine reaches the listening socket."""
    host, port = listener.getsockname()[:2]
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port  # noqa: S104


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
