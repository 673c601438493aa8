"""The gunicorn worker: one process with a loop for connections and threads for requests."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from types import FrameType
from typing import Any

from django.conf import settings
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.task import ThreadedTaskDispatcher

from console.expensive import LIMIT_PER_PROCESS, limit_of_all_orgs, set_process_limit
from console.server.connections import STOPPING_SECONDS, Listener
from console.server.memory import collect_after_large_requests, return_large_buffers
from console.server.offload import NICENESS, Offload, Socket, restore_connection

#: Seconds between two checks of timeouts.
_TURN = 0.5

#: The most bytes of a request line with headers: a rule test has all of its labels in the URL.
_LARGEST_HEAD = 64 * 1024

#: The most bytes of a request or response in memory; longer ones are buffered in unnamed files.
_IN_MEMORY = 256 * 1024

#: Bytes of a long response that are sent at a time while it is being written.
_SENT_AT_A_TIME = 64 * 1024

#: The lowest limit of connections of one address in each process.
_LEAST_SHARE = 8


class BufferingWorker(Worker):
    """
    Serves requests that have arrived completely, each in a thread.

    *offload* is the socket for expensive requests, if they are forwarded; *answers_expensive* is
    whether this process answers them or forwards them. `console.server.gunicorn_config` sets both.
    """

    #: The WSGI application.
    wsgi: Any
    offload: Socket | None = None
    answers_expensive = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._map: dict[int, Any] = {}
        self._listeners: list[Listener] = []
        self._tidied = 0.0

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop after the requests in progress."""
        super().handle_exit(sig, frame)
        for listener in self._listeners:
            listener.pull_trigger()

    def run(self) -> None:
        """Serve until a signal to stop, or until gunicorn's main process has ended."""
        return_large_buffers()
        # The terminal sends it to all of its processes; the main process handles it.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        sockets, count = [each.sock for each in self.sockets], self.cfg.threads
        if self.offload is not None and self.answers_expensive:
            os.nice(NICENESS)
            # A thread for every expensive request that may be in progress, and for every export.
            sockets, count = [self.offload.listening], 2 * limit_of_all_orgs()
            set_process_limit(count)
            collect_after_large_requests()
        elif self.offload is not None:
            self.wsgi = Offload(self.wsgi, self.offload.path)
            # Threads for forwarded requests are added, because a process accepts no connection
            # while all of its threads are busy.
            count += LIMIT_PER_PROCESS
        threads = ThreadedTaskDispatcher()
        threads.set_thread_count(count)
        adjustments = Adjustments(
            threads=count,
            backlog=self.cfg.backlog,
            ident=None,
            clear_untrusted_proxy_headers=False,
            max_request_header_size=_LARGEST_HEAD,
            max_request_body_size=settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1,
            inbuf_overflow=_IN_MEMORY,
            outbuf_overflow=_IN_MEMORY,
            send_bytes=_SENT_AT_A_TIME,
        )
        for each in sockets:
            self._listeners.append(
                Listener(
                    self._answer,
                    each,
                    max_per_address=_max_connections_per_address(),
                    trusted=settings.TRUSTED_PROXIES,
                    map=self._map,
                    dispatcher=threads,
                    adj=adjustments,
                )
            )
        while self.alive and os.getppid() == self.ppid:
            self._turn()
        self._end()

    def _end(self) -> None:
        """Finish the requests in progress, within the graceful timeout."""
        begun = time.monotonic()
        until = begun + self.cfg.graceful_timeout
        # Processes that forward requests may do so for as long as they read requests.
        least = begun + (STOPPING_SECONDS + _TURN if self.answers_expensive else 0)
        for listener in self._listeners:
            if not self.answers_expensive:
                listener.stop_accepting()
        while (now := time.monotonic()) < until and (
            now < least or any(each.active_channels for each in self._listeners)
        ):
            self._turn()

    def _turn(self) -> None:
        wasyncore.loop(timeout=_TURN, use_poll=True, map=self._map, count=1)
        now = time.monotonic()
        if now - self._tidied < _TURN:
            return
        self._tidied = now
        # Gunicorn kills a process that does not notify it for long.
        self.notify()
        for listener in self._listeners:
            listener.tidy()

    def _answer(self, environ: dict[str, Any], start_response: Any) -> Any:
        environ["wsgi.multiprocess"] = True
        environ["SERVER_SOFTWARE"] = "sluice"
        if self.answers_expensive:
            restore_connection(environ)
        elif self._is_secure(environ):
            environ["wsgi.url_scheme"] = "https"
        answer = self.wsgi(environ, start_response)
        return _NoBody(answer) if environ["REQUEST_METHOD"] == "HEAD" else answer

    def _is_secure(self, environ: dict[str, Any]) -> bool:
        """Return whether a trusted proxy declares in a header that it terminated TLS."""
        is_declared = any(
            environ.get("HTTP_" + name.upper().replace("-", "_")) == value
            for name, value in self.cfg.secure_scheme_headers.items()
        )
        return is_declared and _is_trusted_proxy(
            environ["REMOTE_ADDR"], self.cfg.forwarded_allow_ips
        )


class _NoBody:
    """The response to HEAD: the body of the GET response is closed and not sent."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        return iter(())

    def close(self) -> None:
        if hasattr(self._answer, "close"):
            self._answer.close()


def _max_connections_per_address() -> int:
    """Return the limit of connections of one address in each process; 0 for no limit."""
    most: int = settings.CONNECTIONS_PER_ADDRESS
    return most and max(_LEAST_SHARE, most // settings.WEB_PROCESSES)


def _is_trusted_proxy(address: str, allowed: list[str]) -> bool:
    # A client on a unix socket is a proxy on this machine.
    if not address or "*" in allowed:
        return True
    found = ip_address(address.partition("%")[0])
    return any(found in ip_network(each, strict=False) for each in allowed)
