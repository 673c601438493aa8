"""
Client connections: one loop reads and writes them, and a thread gets only complete requests.

A client that sends its request slowly or incompletely, or that reads its response slowly, therefore
occupies no thread. Each phase has a limit: a time for the head of a request, a rate for its body, a
time without progress for a response, and a time between two requests. The number of connections of
one address is limited, too: beyond the limit, a new connection closes the longest idle one, but
never one with a request in progress.
"""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Any, Final

import structlog
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import BaseWSGIServer
from waitress.task import WSGITask
from waitress.utilities import RequestEntityTooLarge

#: Seconds for the head of a request, from its first byte; for the first request, from the start of
#: the connection.
HEAD_SECONDS: Final = 10
#: Seconds for a body, and the bytes that have to arrive in each further second.
BODY_SECONDS, BODY_RATE = 20, 20_000
#: Seconds in which a client has to read some of a response.
READER_SECONDS: Final = 30
#: Seconds that an idle connection is kept for another request; and while the process stops, for a
#: request that was sent before the client knew.
KEEP_ALIVE_SECONDS, STOPPING_SECONDS = 15, 2
#: The most connections of one process: each uses a file descriptor, and a microsecond of every
#: iteration of the loop.
MAX_CONNECTIONS: Final = 1_000
#: Seconds between two log lines about connections closed at the limit.
_LOG_EVERY: Final = 60

log = structlog.get_logger("console.server")


class Request(HTTPRequestParser):
    """The parser of an arriving request."""

    #: The HTTP version of the response to a request that cannot be parsed.
    version = "1.1"
    error: object
    body_rcv: object
    headers: dict[str, str]
    headers_finished: bool
    content_length: int
    body_bytes_received: int

    def received(self, data: bytes) -> int:
        """
        Parse bytes; return how many of them belong to this request.

        A request with a body above the limit is complete at once and has no body: the application
        rejects it for its length, in the format that its client expects.
        """
        consumed: int = super().received(data)
        if isinstance(self.error, RequestEntityTooLarge):
            self.error = None
            self.body_rcv = None
            self.expect_continue = False
            length = max(self.content_length, self.body_bytes_received)
            self.headers["CONTENT_LENGTH"] = str(length)
            # The rest of the body is not read, so no other request can follow it.
            self.headers["CONNECTION"] = "close"
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        """
        Parse the request line and the headers; raise ParsingError if they are invalid.

        Headers that another server on the way could interpret differently are also invalid: a
        header continued on the next line, or a duplicate of a header for the length or the host.
        """
        lines = header_plus.split(b"\r\n")[1:]
        if any(line.startswith((b" ", b"\t")) for line in lines):
            raise ParsingError("A header continues on the next line.")
        names = Counter(line.partition(b":")[0].lower() for line in lines)
        for name in _SINGLE_HEADERS:
            if names[name] > 1:
                raise ParsingError(f"The header {name.decode()} appears twice.")
        super().parse_header(header_plus)
        if names[b"transfer-encoding"] and (names[b"content-length"] or self.version != "1.1"):
            raise ParsingError("The end of the body is ambiguous.")


#: Headers that a request may have only once.
_SINGLE_HEADERS: Final = (b"content-length", b"host", b"transfer-encoding")


class ResponseTask(WSGITask):
    """The task of a thread that writes the response to one request."""

    def write(self, data: bytes) -> None:
        """Write a part of the body, after the head; send everything when the body is complete."""
        super().write(data)
        if self.content_length is not None and self.content_bytes_written >= self.content_length:
            self.channel.send_now()


class Connection(HTTPChannel):
    """One connection of a client."""

    parser_class = Request
    task_class = ResponseTask
    #: The complete requests that are not answered yet, and the arriving one.
    requests: list[Request]
    request: Request | None
    total_outbufs_len: int

    def __init__(
        self, server: Listener, sock: socket.socket, addr: tuple[str, int], adj: Any, **kwargs: Any
    ) -> None:
        #: Start of the connection, or end of its last request.
        self.idle_since = time.monotonic()
        #: Arrival of the first byte of the arriving request.
        self.request_started = self.idle_since
        #: Time of the last received or sent byte.
        self.last_transfer = self.idle_since
        self.was_answered = False
        self.peer = addr[0]
        super().__init__(server, sock, addr, adj, **kwargs)
        server.by_peer[self.peer].add(self)

    @property
    def awaits_client(self) -> bool:
        """Whether no complete request is in progress: the client has to act next."""
        return not self.requests

    def is_overdue(self, now: float, *, stopping: bool) -> bool:
        """Return whether the client exceeded the time limit of the current phase."""
        if self.total_outbufs_len:
            return now - self.last_transfer > READER_SECONDS
        if self.requests:
            return False
        if self.request is None:
            seconds = KEEP_ALIVE_SECONDS if self.was_answered else HEAD_SECONDS
            idle = now - max(self.idle_since, self.last_transfer)
            return idle > (STOPPING_SECONDS if stopping else seconds)
        if not self.request.headers_finished:
            return now - self.request_started > HEAD_SECONDS
        return (
            now - self.request_started > BODY_SECONDS + self.request.body_bytes_received / BODY_RATE
        )

    def received(self, data: bytes) -> bool:
        """Parse bytes, and have a thread answer each complete request."""
        self.last_transfer = time.monotonic()
        if self.request is None:
            self.request_started = self.last_transfer
        return bool(super().received(data))

    def writable(self) -> bool:
        """
        Return whether the loop has something to send.

        False while a thread writes a short response: the loop would run without a pause and keep
        the GIL from that thread.
        """
        if self.will_close or self.close_when_flushed:
            return True
        least = self.adj.send_bytes if self.requests else 1
        return self.total_outbufs_len >= least

    def send_now(self) -> None:
        """Send as much as the client accepts; called by a thread whose response is complete."""
        with self.outbuf_lock:
            self._flush_exception(self._flush_some, do_close=False)

    def write_soon(self, data: Any) -> int:
        """Queue bytes of a response for sending; called by a thread."""
        if not self.total_outbufs_len:
            # The client has had nothing to read until now.
            self.last_transfer = time.monotonic()
        written: int = super().write_soon(data)
        return written

    def service(self) -> None:
        """Answer one request; called by a thread."""
        try:
            if self.server.is_stopping and self.requests:
                self.requests[0].headers["CONNECTION"] = "close"
            super().service()
        finally:
            self.idle_since = time.monotonic()
            self.was_answered = True
            self.server.finished_task()

    def del_channel(self, *args: Any) -> None:
        """Remove the connection from its listener."""
        held = self.server.by_peer.get(self.peer, set())
        held.discard(self)
        if not held:
            self.server.by_peer.pop(self.peer, None)
        super().del_channel(*args)

    def _flush_some(self, do_close: bool = True) -> bool:
        sent: bool = super()._flush_some(do_close=do_close)
        if sent:
            self.last_transfer = time.monotonic()
        return sent


class Listener(BaseWSGIServer):
    """
    The connections of one listening socket that this process accepted.

    *max_per_address* limits the connections of one address; 0 means no limit. It does not apply to
    *trusted* networks and unix sockets: they are proxies, which have limits of their own.
    """

    channel_class = Connection

    def __init__(
        self,
        application: Any,
        listening: socket.socket,
        *,
        max_per_address: int,
        trusted: Iterable[IPv4Network | IPv6Network],
        **kwargs: Any,
    ) -> None:
        self.by_peer: defaultdict[str, set[Connection]] = defaultdict(set)
        self.is_stopping = False
        self._max_per_address = max_per_address
        self._trusted = tuple(trusted)
        self._lock = threading.Lock()
        #: The number of requests that are being answered or queued for a thread.
        self._in_progress = 0
        self._is_full = False
        self._closed_counts: defaultdict[str, int] = defaultdict(int)
        self._last_logged = 0.0
        information = (listening.family, listening.type, None, listening.getsockname())
        super().__init__(
            application, _sock=listening, sockinfo=information, bind_socket=False, **kwargs
        )

    def getsockname(self) -> tuple[str, int | str]:
        """Return the address and port of the socket, for the WSGI environment."""
        address = self.socket.getsockname()
        return ("unix", address) if self.family == socket.AF_UNIX else address[:2]

    def fix_addr(self, addr: Any) -> tuple[str, int]:
        """Return the address and port of a client; empty and 0 for a unix socket."""
        return ("", 0) if self.family == socket.AF_UNIX else addr[:2]

    def set_socket_options(self, conn: socket.socket) -> None:
        """Disable the delay of small packets (Nagle's algorithm)."""
        if self.family != socket.AF_UNIX:
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def readable(self) -> bool:
        """
        Return whether to accept a connection now.

        While all threads are busy, connections are left to other processes, which may have a free
        one.
        """
        with self._lock:
            self._is_full = self._in_progress >= self.adj.threads
            return bool(self.accepting) and not self._is_full

    def add_task(self, task: Connection) -> None:
        """Have a thread answer the next request of *task*."""
        with self._lock:
            self._in_progress += 1
        super().add_task(task)

    def finished_task(self) -> None:
        """Record the end of a request."""
        with self._lock:
            self._in_progress -= 1
            was_full, self._is_full = self._is_full, False
        if was_full:
            self.pull_trigger()

    def handle_accept(self) -> None:
        """Accept a connection, and close another one if there are too many."""
        before = len(self.active_channels)
        super().handle_accept()
        if len(self.active_channels) == before:
            return
        newest: Connection = next(reversed(self.active_channels.values()))
        held = self.by_peer[newest.peer]
        if (
            self._max_per_address
            and len(held) > self._max_per_address
            and not self._is_proxy(newest.peer)
        ):
            self._close_longest_idle(held, newest)
        elif len(self.active_channels) > MAX_CONNECTIONS:
            self._close_longest_idle(max(self.by_peer.values(), key=len), newest)

    def tidy(self) -> None:
        """Close connections that exceeded a time limit, and log those closed at the limit."""
        now = time.monotonic()
        for each in list(self.active_channels.values()):
            if each.is_overdue(now, stopping=self.is_stopping):
                each.handle_close()
        if self._closed_counts and now - self._last_logged > _LOG_EVERY:
            self._last_logged = now
            for address, count in sorted(self._closed_counts.items()):
                log.warning("an address has too many connections", address=address, closed=count)
            self._closed_counts.clear()

    def stop_accepting(self) -> None:
        """Accept no more connections, and close each open one after its next response."""
        self.is_stopping = True
        self.accepting = False

    def maintenance(self, now: float) -> None:
        """Do nothing: `tidy` closes connections, outside the iterations of the loop."""

    def _close_longest_idle(self, held: set[Connection], newest: Connection) -> None:
        closable = [each for each in held if each.awaits_client]
        closed = min(closable, key=lambda each: each.idle_since, default=newest)
        self._closed_counts[closed.peer] += 1
        closed.handle_close()

    def _is_proxy(self, peer: str) -> bool:
        if not peer:
            return True
        address = ip_address(peer.partition("%")[0])
        return any(address in network for network in self._trusted)
