"""
One request to a receiver, with limits on its duration and the size of the response.

It connects to a checked IP address, while the certificate has to match the host name. It follows
no redirects and uses no proxy of the environment, and the connection of a slow receiver is closed
at the deadline.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse

from console.webhooks.addresses import Address, Network
from console.webhooks.outcome import Answer, Failure
from console.webhooks.target import (
    NotAllowedError,
    NotResolvedError,
    Target,
    TargetError,
    read_target,
    resolve,
)
from console.webhooks.waits import STEP, TOTAL

#: Limits: bytes of a response that are read, headers that are stored, and characters of each
#: header.
_KEPT_BYTES = 1024
_KEPT_HEADERS = 20
_KEPT_VALUE = 200

#: Maximum number of IP addresses of a host that are tried.
_MOST_ADDRESSES = 3

_DETAIL = 300


def send(url: str, body: bytes, headers: Mapping[str, str], allowed: Collection[Network]) -> Answer:
    """POST *body* to *url* and return the result; errors are results, not exceptions."""
    deadline = time.monotonic() + TOTAL
    try:
        target = read_target(url)
        addresses = resolve(target, allowed, STEP)
    except NotAllowedError as error:
        return _failed(Failure.NOT_ALLOWED, error)
    except NotResolvedError as error:
        return _failed(Failure.NOT_RESOLVED, error)
    except TargetError as error:
        return _failed(Failure.BAD_URL, error)
    return _send_to(target, addresses, body, headers, deadline)


def _send_to(
    target: Target,
    addresses: tuple[Address, ...],
    body: bytes,
    headers: Mapping[str, str],
    deadline: float,
) -> Answer:
    answer = Answer(failure=Failure.NOT_REACHED)
    for address in addresses[:_MOST_ADDRESSES]:
        left = deadline - time.monotonic()
        if left <= 0:
            break
        try:
            plain = socket.create_connection((str(address), target.port), min(STEP, left))
        except TimeoutError as error:
            answer = _failed(Failure.TIMED_OUT, error, address)
        except OSError as error:
            answer = _failed(Failure.NOT_REACHED, error, address)
        else:
            return _post(plain, target, address, body, headers, deadline)
    return answer


def _post(
    plain: socket.socket,
    target: Target,
    address: Address,
    body: bytes,
    headers: Mapping[str, str],
    deadline: float,
) -> Answer:
    with plain, _shutdown_at(plain, deadline) as is_cut:
        try:
            return _exchange(plain, target, address, body, headers)
        except ssl.SSLCertVerificationError as error:
            return _failed(Failure.TLS, error.verify_message, address)
        except (OSError, HTTPException, ValueError) as error:
            if is_cut.is_set() or isinstance(error, TimeoutError):
                return _failed(Failure.TIMED_OUT, error, address)
            failure = Failure.TLS if isinstance(error, ssl.SSLError) else Failure.BROKEN
            return _failed(failure, error, address)


def _exchange(
    plain: socket.socket, target: Target, address: Address, body: bytes, headers: Mapping[str, str]
) -> Answer:
    plain.settimeout(STEP)
    connection = HTTPConnection(target.host, target.port)
    connection.sock = plain
    if target.scheme == "https":
        connection.sock = _tls().wrap_socket(plain, server_hostname=target.host)
    try:
        whole = {"Host": target.authority, **headers, "Connection": "close"}
        connection.request("POST", target.path, body, whole)
        with connection.getresponse() as response:
            return _answer(response, address)
    finally:
        connection.close()


def _answer(response: HTTPResponse, address: Address) -> Answer:
    failure = None
    if response.status == HTTPStatus.GONE:
        failure = Failure.GONE
    elif 300 <= response.status < 400:
        failure = Failure.REDIRECTED
    elif not 200 <= response.status < 300:
        failure = Failure.REFUSED
    return Answer(
        failure=failure,
        address=str(address),
        status=response.status,
        retry_after=(response.getheader("Retry-After") or "")[:_KEPT_VALUE],
        headers=tuple(
            (_storable(name)[:_KEPT_VALUE], _storable(value)[:_KEPT_VALUE])
            for name, value in response.getheaders()[:_KEPT_HEADERS]
        ),
        body=_storable(_beginning(response).decode("utf-8", "replace")),
    )


def _beginning(response: HTTPResponse) -> bytes:
    """Return the beginning of the body, or the part received before the connection broke."""
    read = b""
    with suppress(OSError, HTTPException, ValueError):
        while len(read) < _KEPT_BYTES:
            some = response.read1(_KEPT_BYTES - len(read))
            if not some:
                break
            read += some
    return read


@contextmanager
def _shutdown_at(plain: socket.socket, deadline: float) -> Iterator[threading.Event]:
    """Shut *plain* down at *deadline*; the yielded value tells whether this happened."""
    is_cut = threading.Event()
    # TLS takes over the socket; a shutdown of the duplicate affects both.
    double = plain.dup()

    def cut() -> None:
        is_cut.set()
        with suppress(OSError):
            double.shutdown(socket.SHUT_RDWR)

    # Socket timeouts apply to each operation, so many short operations would exceed the deadline.
    timer = threading.Timer(max(0.0, deadline - time.monotonic()), cut)
    timer.daemon = True
    timer.start()
    with double:
        try:
            yield is_cut
        finally:
            timer.cancel()


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """Return the TLS context that verifies certificates; SSL_CERT_FILE can name other roots."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _failed(failure: Failure, error: Exception | str, address: Address | None = None) -> Answer:
    detail = _storable(str(error))[:_DETAIL]
    return Answer(failure=failure, detail=detail, address=str(address) if address else "")


def _storable(text: str) -> str:
    """Return *text* without characters that a database cannot store."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
