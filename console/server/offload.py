"""
Requests that may be expensive are answered by web processes of their own, at low priority.

A request that computes for a second holds Python's lock in its process, and every other request
there waits for its turn at each query. So the processes that take connections hand such a request
on, over a unix socket that they share with the processes of low priority, and pass the answer back:
a thread of theirs waits meanwhile and uses no processor. The operating system gives the processes
of low priority what the others leave.

Which requests those are is told by their method, address and length before any of them is read;
a cheap one among them is answered the same, one hop later. Where the processes of low priority
cannot be reached, a request is answered where it arrived.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import structlog
from django.conf import settings

from console.expensive import CHEAP_TEXT, LIMIT_PER_PROCESS, refusing

#: What nice(2) adds to their priority: beside processes of ordinary priority that are busy they get
#: about a tenth of a core.
NICENESS: Final = 10

#: Seconds in which the process of low priority has to answer, or to go on with its answer.
_TIMEOUT: Final = 120

#: Bytes of an answer that are passed on at a time.
_BLOCK: Final = 64 * 1024

#: The header in which a process of low priority is told what only the connection of the client
#: says. It is replaced in every request that is handed on, so no client can send it.
_HEADER: Final = "Sluice-Connection"
_OF_CONNECTION: Final = (
    *("REMOTE_ADDR", "REMOTE_HOST", "REMOTE_PORT", "SERVER_NAME", "SERVER_PORT"),
    "wsgi.url_scheme",
)

#: Headers of one connection, which do not go on to the next.
_HOP_BY_HOP: Final = frozenset(
    ("connection", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade")
)

#: Printable ASCII, which an address may have as it is.
_UNQUOTED: Final = "".join(map(chr, range(0x21, 0x7F)))

_ORG: Final = r"/api/v1/orgs/[^/]+"
_COMPATIBILITY_API: Final = r"/+(?:api/v2|ext/v0)/scheduler/config"
_PAGES: Final = r"/o/[^/]+"

#: Addresses that search, compare, preview or route, whatever is sent to them.
_EXPENSIVE: Final = re.compile(
    rf"{_ORG}/workloads/[^/]+/explanation"
    rf"|{_ORG}/config/(?:impact|rollback|route|expectations/check|versions/\d+/diff)"
    rf"|{_COMPATIBILITY_API}/(?:preview|rollback)"
    rf"|{_PAGES}/workloads/[^/]+/changes"
    rf"|{_PAGES}/config(?:/v/\d+|/compare(?:/.*)?|/review(?:/fix)?|/conflict|/impact(?:/again)?)?"
    rf"|{_PAGES}/config/drafts/\d+"
    rf"|{_PAGES}/tools/route/many"
)
#: Addresses that read the text that is sent to them.
_READS_TEXT: Final = re.compile(rf"(?:{_ORG}|{_PAGES}|{_COMPATIBILITY_API})(?:/.*)?")
#: A query that asks for a whole list, and one that asks for an explanation without a search.
_EXPORT: Final = re.compile(r"(?:^|&)as=(?:csv|ndjson)(?:&|$)")
_MARKDOWN: Final = re.compile(r"(?:^|&)as=markdown(?:&|$)")

#: What a client reads whose request had no answer.
UNANSWERED: Final = (
    b"The process that worked on this request ended before it answered. See what became of the "
    b"request, then send it again.\n"
)

log = structlog.get_logger("console.server")

Environ = dict[str, Any]
StartResponse = Callable[..., Any]


class Socket:
    """The socket over which processes of a server hand requests on: in a folder of its own."""

    def __init__(self) -> None:
        """Listen; no other user of the machine may connect."""
        # Made with mode 700, and removed by `close` alone: processes that are forked end earlier.
        self._folder = tempfile.mkdtemp(prefix="sluice-")
        self.path = str(Path(self._folder) / "offload")
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(self.path)
        self.listening.listen(128)
        self.listening.setblocking(False)

    def close(self) -> None:
        """Remove it; connections that are open go on."""
        self.listening.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def is_offloaded(environ: Environ) -> bool:
    """Say whether a request is one for the processes of low priority."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
        # It is refused by its length alone, and its body was not kept.
        return False
    path, query = environ["PATH_INFO"], environ["QUERY_STRING"]
    if length > CHEAP_TEXT and _READS_TEXT.fullmatch(path):
        return True
    if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
        if _EXPORT.search(query):
            return True
        if _MARKDOWN.search(query):
            return False
    return _EXPENSIVE.fullmatch(path) is not None


def restore_connection(environ: Environ) -> None:
    """Have *environ*, of a request that was handed on, say what it said where that arrived."""
    environ.update(json.loads(environ.pop(_environ_key(_HEADER))))


class Offload:
    """A WSGI application that hands expensive requests on, and answers the others by another."""

    def __init__(self, application: Any, path: str) -> None:
        """Answer by *application*; hand requests on to those that listen at *path*."""
        self._application = application
        self._path = path
        # The others stay for cheap requests.
        self._places = threading.Semaphore(LIMIT_PER_PROCESS)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer the request."""
        if not is_offloaded(environ):
            return self._answer_here(environ, start_response)
        if not self._places.acquire(blocking=False):
            with refusing():
                return self._answer_here(environ, start_response)
        connection = _UnixConnection(self._path)
        handed_on = False
        try:
            try:
                connection.connect()
            except OSError as error:
                log.warning("expensive requests are answered at full priority", error=str(error))
                return self._answer_here(environ, start_response)
            try:
                answer = _answer(connection, environ)
            except (OSError, HTTPException) as error:
                log.error("an expensive request had no answer", error=repr(error))
                return _refuse(start_response)
            start_response(
                f"{answer.status} {answer.reason}", _end_to_end_headers(answer.getheaders())
            )
            handed_on = True
            return _RelayedBody(answer, connection, self._places)
        finally:
            if not handed_on:
                connection.close()
                self._places.release()

    def _answer_here(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        answer: Iterable[bytes] = self._application(environ, start_response)
        return answer


class _UnixConnection(HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=_TIMEOUT)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(_TIMEOUT)
        self.sock.connect(self._path)


class _RelayedBody:
    """The body of an answer as it comes; its end, or that of its reader, frees the place."""

    def __init__(
        self, answer: HTTPResponse, connection: HTTPConnection, places: threading.Semaphore
    ) -> None:
        self._answer = answer
        self._connection = connection
        self._places: threading.Semaphore | None = places

    def __iter__(self) -> Iterator[bytes]:
        while block := self._answer.read1(_BLOCK):
            yield block

    def close(self) -> None:
        """Close the connection, and free the place; a second time does nothing."""
        self._answer.close()
        self._connection.close()
        if self._places is not None:
            self._places.release()
            self._places = None


def _answer(connection: HTTPConnection, environ: Environ) -> HTTPResponse:
    """Send the request of *environ*, and return the answer when its head is there."""
    address = environ.get("REQUEST_URI") or quote(environ["PATH_INFO"], encoding="latin-1")
    connection.putrequest(
        environ["REQUEST_METHOD"],
        quote(address, safe=_UNQUOTED, encoding="latin-1"),
        skip_host=True,
        skip_accept_encoding=True,
    )
    for key, value in environ.items():
        name = key.removeprefix("HTTP_").replace("_", "-").title()
        is_header = key.startswith("HTTP_") and key != _environ_key(_HEADER)
        if key == "CONTENT_TYPE" or (is_header and name.lower() not in _HOP_BY_HOP):
            connection.putheader(name, value.encode("latin-1"))
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if environ.get("CONTENT_LENGTH"):
        connection.putheader("Content-Length", str(length))
    connection.putheader(
        _HEADER, json.dumps({key: environ[key] for key in _connection_keys(environ)})
    )
    connection.putheader("Connection", "close")
    connection.endheaders()
    while length > 0 and (block := environ["wsgi.input"].read(min(length, _BLOCK))):
        connection.send(block)
        length -= len(block)
    return connection.getresponse()


def _connection_keys(environ: Environ) -> list[str]:
    return [key for key in _OF_CONNECTION if key in environ]


def _end_to_end_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [each for each in headers if each[0].lower() not in _HOP_BY_HOP]


def _refuse(start_response: StartResponse) -> Iterable[bytes]:
    headers = [
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Length", str(len(UNANSWERED))),
        ("Cache-Control", "no-store"),
    ]
    start_response("502 Bad Gateway", headers)
    return [UNANSWERED]


def _environ_key(header: str) -> str:
    return "HTTP_" + header.upper().replace("-", "_")
