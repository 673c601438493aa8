"""
One request to a receiver: bounded in time and in what is read, and never sent elsewhere.

It connects to an address that was judged, while the certificate has to be that of the name.
No redirect is followed, no proxy of the environment is used, and a receiver that answers
drop by drop is cut off when its time is over.
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

#: Bytes of an answer that are read, headers that are kept, and characters of each.
_KEPT_BYTES = 1024
_KEPT_HEADERS = 20
_KEPT_VALUE = 200

#: Addresses of a name that are tried.
_MOST_ADDRESSES = 3

_DETAIL = 300


def send(url: str, body: bytes, headers: Mapping[str, str], allowed: Collection[Network]) -> Answer:
    """POST *body* to *url* and return what came of it; whatever happens is an answer."""
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
            return _ask(plain, target, address, body, headers, deadline)
    return answer


def _ask(
    plain: socket.socket,
    target: Target,
    address: Address,
    body: bytes,
    headers: Mapping[str, str],
    deadline: float,
) -> Answer:
    with plain, _cut_off(plain, deadline) as is_cut:
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
    """Return the beginning of the body; what breaks off is what there is."""
    read = b""
    with suppress(OSError, HTTPException, ValueError):
        while len(read) < _KEPT_BYTES:
            some = response.read1(_KEPT_BYTES - len(read))
            if not some:
                break
            read += some
    return read


@contextmanager
def _cut_off(plain: socket.socket, deadline: float) -> Iterator[threading.Event]:
    """End both directions of *plain* at *deadline*; what is yielded says whether that was so."""
    is_cut = threading.Event()
    # TLS takes the socket over; what is done to its double is done to both.
    double = plain.dup()

    def cut() -> None:
        is_cut.set()
        with suppress(OSError):
            double.shutdown(socket.SHUT_RDWR)

    # Timeouts of sockets count each step alone: many small ones add up without this.
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
    """Return what verifies certificates as browsers do; SSL_CERT_FILE may name other roots."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _failed(failure: Failure, error: Exception | str, address: Address | None = None) -> Answer:
    detail = _storable(str(error))[:_DETAIL]
    return Answer(failure=failure, detail=detail, address=str(address) if address else "")


def _storable(text: str) -> str:
    """Return *text* as every database can hold it."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
