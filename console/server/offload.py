"""
Forwarding of expensive requests to separate web processes of low priority.

A request that computes for a second holds the GIL of its process, and every other request there
waits for it at each query. The processes that accept connections therefore forward such a request
over a unix socket to processes of low priority, and relay the response: a thread of the accepting
process waits in the meantime and uses no processor. The operating system gives the processes of
low priority the processor time that the others leave.

Expensive requests are recognized by method, path and length before the body is read; a cheap
request among them gets the same response, with one more hop. If the processes of low priority
cannot be reached, a request is answered by the process that accepted it.
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

#: The increment of nice(2): while processes of normal priority are busy, these processes get about
#: a tenth of a core.
NICENESS: Final = 10

#: Timeout in seconds of the process of low priority, for its response and for each part of it.
_TIMEOUT: Final = 120

#: Block size in bytes of a relayed request or response body.
_BLOCK: Final = 64 * 1024

#: The header with the facts of the client's connection, for the process of low priority. It is
#: replaced in every forwarded request, so no client can set it.
_HEADER: Final = "Sluice-Connection"
_OF_CONNECTION: Final = (
    *("REMOTE_ADDR", "REMOTE_HOST", "REMOTE_PORT", "SERVER_NAME", "SERVER_PORT"),
    "wsgi.url_scheme",
)

#: Hop-by-hop headers, which are not forwarded.
_HOP_BY_HOP: Final = frozenset(
    ("connection", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade")
)

#: Printable ASCII, which is not quoted in a URL.
_UNQUOTED: Final = "".join(map(chr, range(0x21, 0x7F)))

_ORG: Final = r"/api/v1/orgs/[^/]+"
_COMPATIBILITY_API: Final = r"/+(?:api/v2|ext/v0)/scheduler/config"
_YUNIKORN_API: Final = r"/+ws/v1"
_PAGES: Final = r"/o/[^/]+"

#: Paths of searches, comparisons, previews, routing, resource-time and whole clusters, which are
#: always expensive.
_EXPENSIVE: Final = re.compile(
    rf"{_ORG}/workloads/[^/]+/explanation"
    rf"|{_ORG}/capacity"
    rf"|{_ORG}/accounts"
    rf"|{_ORG}/(?:queues|cohorts)/.+/quota"
    rf"|{_ORG}/config/(?:impact|rollback|rules/move|queues|route|expectations/check)"
    rf"|{_ORG}/config/(?:versions/\d+/diff|scheduled/\d+/carry-out)"
    rf"|{_COMPATIBILITY_API}/(?:preview|rollback)"
    rf"|{_YUNIKORN_API}/partition/[^/]+/(?:nodes?|usage)(?:/.+)?"
    rf"|{_PAGES}/workloads/[^/]+/changes"
    rf"|{_PAGES}/(?:queues|cohorts)/.+/quota"
    rf"|{_PAGES}/config(?:/v/\d+|/compare(?:/.*)?|/review(?:/fix)?|/reviews/\d+|/conflict|/impact(?:/again)?)?"
    rf"|{_PAGES}/config/(?:(?:drafts|scheduled)/\d+|rules/move|queues/new)"
    rf"|{_PAGES}/tools/(?:route/many|placements)"
)
#: Paths that parse the request body, which are expensive for a long one.
_READS_TEXT: Final = re.compile(
    rf"(?:{_ORG}|{_PAGES}|{_COMPATIBILITY_API}|{_YUNIKORN_API})(?:/.*)?"
)
#: The usage page, which is expensive if its query has a dimension: it adds up many hours.
_USAGE_PAGE: Final = re.compile(rf"{_PAGES}/usage")
_BY_DIMENSION: Final = re.compile(r"(?:^|&)by=")
#: The query of an export of a whole list, and that of an explanation without a search.
_EXPORT: Final = re.compile(r"(?:^|&)as=(?:csv|ndjson)(?:&|$)")
_MARKDOWN: Final = re.compile(r"(?:^|&)as=markdown(?:&|$)")

#: The body of the response to a request whose process ended.
UNANSWERED: Final = (
    b"The process that worked on this request ended before it answered. See what became of the "
    b"request, then send it again.\n"
)

log = structlog.get_logger("console.server")

Environ = dict[str, Any]
StartResponse = Callable[..., Any]


class Socket:
    """The unix socket on which processes of a server forward requests, in a private folder."""

    def __init__(self) -> None:
        """Listen; no other user of the machine can connect."""
        # The folder has mode 700. Only `close` removes it, because forked processes end earlier.
        self._folder = tempfile.mkdtemp(prefix="sluice-")
        self.path = str(Path(self._folder) / "offload")
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(self.path)
        self.listening.listen(128)
        self.listening.setblocking(False)

    def close(self) -> None:
        """Close and remove the socket; open connections continue."""
        self.listening.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def is_offloaded(environ: Environ) -> bool:
    """Return whether a request is for the processes of low priority."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
        # It is rejected for its length, and its body was discarded.
        return False
    path, query = environ["PATH_INFO"], environ["QUERY_STRING"]
    if length > CHEAP_TEXT and _READS_TEXT.fullmatch(path):
        return True
    if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
        if _EXPORT.search(query):
            return True
        if _MARKDOWN.search(query):
            return False
        if _USAGE_PAGE.fullmatch(path) and _BY_DIMENSION.search(query):
            return True
    return _EXPENSIVE.fullmatch(path) is not None


def restore_connection(environ: Environ) -> None:
    """Restore the facts of the client's connection in *environ* of a forwarded request."""
    environ.update(json.loads(environ.pop(_environ_key(_HEADER))))


class Offload:
    """A WSGI application that forwards expensive requests, and calls another for the others."""

    def __init__(self, application: Any, path: str) -> None:
        """Call *application* for cheap requests; forward the others to the socket at *path*."""
        self._application = application
        self._path = path
        # The other threads stay available for cheap requests.
        self._places = threading.Semaphore(LIMIT_PER_PROCESS)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Return the response of *application* or of a process of low priority."""
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
    """The body of a relayed response; its end, or the end of its reader, frees the slot."""

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
        """Close the connection and free the slot; a second call does nothing."""
        self._answer.close()
        self._connection.close()
        if self._places is not None:
            self._places.release()
            self._places = None


def _answer(connection: HTTPConnection, environ: Environ) -> HTTPResponse:
    """Send the request of *environ*, and return the response when its head has arrived."""
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
