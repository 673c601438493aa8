"""
Connections: read and written by one loop, and handed to a thread with a complete request alone.

So a client that sends its request slowly, or never to its end, and one that reads its answer slowly
hold no thread. What each may take has an end: a time for the head of a request, a rate for its
body, a time without progress for an answer, a time between two requests; and one address has so
many connections at most. Beyond them the one that was waited for longest makes room for a new one,
and none does that has a request under way.
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

#: Seconds for the head of a request, from its first byte; of the first one, from the connection's
#: beginning.
HEAD_SECONDS: Final = 10
#: Seconds for a body, and the bytes that each further second has to bring.
BODY_SECONDS, BODY_RATE = 20, 20_000
#: Seconds in which a client has to take some of an answer.
READER_SECONDS: Final = 30
#: Seconds that a connection is kept for another request; while the process stops, those in which
#: one may be on its way that was sent before the client knew.
KEEP_ALIVE_SECONDS, STOPPING_SECONDS = 15, 2
#: Connections of one process: each takes a descriptor, and a microsecond of every turn of the loop.
MAX_CONNECTIONS: Final = 1_000
#: Seconds between two log lines about connections that made room.
_LOG_EVERY: Final = 60

log = structlog.get_logger("console.server")


class Request(HTTPRequestParser):
    """A request as it arrives."""

    #: In which an answer to one that cannot be read is written.
    version = "1.1"
    error: object
    body_rcv: object
    headers: dict[str, str]
    headers_finished: bool
    content_length: int
    body_bytes_received: int

    def received(self, data: bytes) -> int:
        """
        Take in bytes; return how many of them belong to this request.

        One whose body is larger than may be is complete at once and has none: the application
        refuses it by its length, in the form that its client understands.
        """
        consumed: int = super().received(data)
        if isinstance(self.error, RequestEntityTooLarge):
            self.error = None
            self.body_rcv = None
            self.expect_continue = False
            length = max(self.content_length, self.body_bytes_received)
            self.headers["CONTENT_LENGTH"] = str(length)
            # The rest of the body is never read, so no other request can come behind it.
            self.headers["CONNECTION"] = "close"
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        """
        Read the first line and the headers; raises ParsingError for what cannot be read.

        Nor is read what another server on the way could take for something else: a header that
        goes on in the next line, two of a kind that say where the request ends or what it is of.
        """
        lines = header_plus.split(b"\r\n")[1:]
        if any(line.startswith((b" ", b"\t")) for line in lines):
            raise ParsingError("A header goes on in the next line.")
        names = Counter(line.partition(b":")[0].lower() for line in lines)
        for name in _SINGLE_HEADERS:
            if names[name] > 1:
                raise ParsingError(f"The header {name.decode()} is there twice.")
        super().parse_header(header_plus)
        if names[b"transfer-encoding"] and (names[b"content-length"] or self.version != "1.1"):
            raise ParsingError("It is not clear where the body ends.")


#: Headers that a request has once at most.
_SINGLE_HEADERS: Final = (b"content-length", b"host", b"transfer-encoding")


class ResponseTask(WSGITask):
    """The answer to one request, as a thread writes it."""

    def write(self, data: bytes) -> None:
        """Write a part of the body, the head before the first one; send all when it is whole."""
        super().write(data)
        if self.content_length is not None and self.content_bytes_written >= self.content_length:
            self.channel.send_now()


class Connection(HTTPChannel):
    """One connection of a client."""

    parser_class = Request
    task_class = ResponseTask
    #: Those that are complete and not answered yet, and the one that is arriving.
    requests: list[Request]
    request: Request | None
    total_outbufs_len: int

    def __init__(
        self, server: Listener, sock: socket.socket, addr: tuple[str, int], adj: Any, **kwargs: Any
    ) -> None:
        #: Since when it is waited for a request: its beginning, or the end of the last one.
        self.idle_since = time.monotonic()
        #: When the first byte of the request came that is arriving now.
        self.request_started = self.idle_since
        #: When a byte last came or went.
        self.last_transfer = self.idle_since
        self.was_answered = False
        self.peer = addr[0]
        super().__init__(server, sock, addr, adj, **kwargs)
        server.by_peer[self.peer].add(self)

    @property
    def awaits_client(self) -> bool:
        """Whether nothing of it is under way but what its client has to do."""
        return not self.requests

    def is_overdue(self, now: float, *, stopping: bool) -> bool:
        """Say whether its client took too long for what it has to do."""
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
        """Take in bytes, and have a thread answer each request that is complete."""
        self.last_transfer = time.monotonic()
        if self.request is None:
            self.request_started = self.last_transfer
        return bool(super().received(data))

    def writable(self) -> bool:
        """
        Say whether the loop has something to send.

        While a thread writes a short answer it has not: the loop would turn without a pause, and
        keep Python from that thread.
        """
        if self.will_close or self.close_when_flushed:
            return True
        least = self.adj.send_bytes if self.requests else 1
        return self.total_outbufs_len >= least

    def send_now(self) -> None:
        """Send what the client takes; called in a thread whose answer is whole."""
        with self.outbuf_lock:
            self._flush_exception(self._flush_some, do_close=False)

    def write_soon(self, data: Any) -> int:
        """Have bytes of an answer be sent; called in a thread."""
        if not self.total_outbufs_len:
            # Its client has had nothing to take until now.
            self.last_transfer = time.monotonic()
        written: int = super().write_soon(data)
        return written

    def service(self) -> None:
        """Answer one request; called in a thread."""
        try:
            if self.server.is_stopping and self.requests:
                self.requests[0].headers["CONNECTION"] = "close"
            super().service()
        finally:
            self.idle_since = time.monotonic()
            self.was_answered = True
            self.server.finished_task()

    def del_channel(self, *args: Any) -> None:
        """Forget it."""
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

    *max_per_address* is how many one address may have, 0 for any number; those of *trusted* networks
    and of unix sockets are proxies, who answer for that themselves.
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
        #: Requests that a thread answers, or will.
        self._in_progress = 0
        self._is_full = False
        self._closed_counts: defaultdict[str, int] = defaultdict(int)
        self._last_logged = 0.0
        information = (listening.family, listening.type, None, listening.getsockname())
        super().__init__(
            application, _sock=listening, sockinfo=information, bind_socket=False, **kwargs
        )

    def getsockname(self) -> tuple[str, int | str]:
        """Return the address and port of the socket, as the environment of requests has them."""
        address = self.socket.getsockname()
        return ("unix", address) if self.family == socket.AF_UNIX else address[:2]

    def fix_addr(self, addr: Any) -> tuple[str, int]:
        """Return the address and port of a client; a unix socket has neither."""
        return ("", 0) if self.family == socket.AF_UNIX else addr[:2]

    def set_socket_options(self, conn: socket.socket) -> None:
        """Have nothing wait for more to send."""
        if self.family != socket.AF_UNIX:
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def readable(self) -> bool:
        """
        Say whether to accept a connection now.

        While all threads are busy it is left to another process, which may have one that is not.
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
        """Note that a request is answered."""
        with self._lock:
            self._in_progress -= 1
            was_full, self._is_full = self._is_full, False
        if was_full:
            self.pull_trigger()

    def handle_accept(self) -> None:
        """Accept a connection, for which another one may have to make room."""
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
        """Close connections whose clients took too long, and say who had to make room."""
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
        """Leave new connections to others, and close each one here with its next answer."""
        self.is_stopping = True
        self.accepting = False

    def maintenance(self, now: float) -> None:
        """Do nothing: `tidy` does it, outside the turns of the loop."""

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
