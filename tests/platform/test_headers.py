"""Response headers and cookies of every kind of response, on a running product."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage
from urllib.parse import urlencode

import pytest

from console.csp import POLICY
from tests.product import Product, running

#: The token of monitoring.
METRICS = "of-monitoring"

#: Headers of every response, with their only value.
GUARDS = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

#: Cache-Control of private pages, of immutable files, and of the sign-in page.
PRIVATE, FOREVER = "private, no-store", "max-age=315360000, public, immutable"
NEVER = "max-age=0, no-cache, no-store, must-revalidate, private"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and the expected response."""

    path: str
    status: int
    content_type: str
    cache: str | None
    #: The caller: a signed-in person, a token, monitoring, or none.
    by: str = ""
    method: str = "GET"
    body: str | None = None
    #: The expected Content-Disposition.
    saved_as: str | None = None


HTML, JSON, PROBLEM = "text/html; charset=utf-8", "application/json", "application/problem+json"

ANSWERS = {
    "sign-in page": Exchange("/login", 200, HTML, NEVER),
    "page": Exchange("/o/main/", 200, HTML, PRIVATE, "person"),
    "poll without news": Exchange("/o/main/?v=@", 204, HTML, PRIVATE, "person"),
    "page that says what is wrong": Exchange(
        "/o/main/workloads?state=odd", 400, HTML, PRIVATE, "person"
    ),
    "page without session": Exchange("/o/main/", 302, HTML, None),
    "organization of others": Exchange("/o/other/", 404, HTML, PRIVATE, "person"),
    "no such page": Exchange("/nothing", 404, HTML, None),
    "form without its token": Exchange("/login", 403, HTML, None, "", "POST", "email=a"),
    "file": Exchange(
        "/o/main/workloads?as=csv",
        200,
        "text/csv; charset=utf-8",
        PRIVATE,
        "person",
        saved_as='attachment; filename="main-workloads-DAY.csv"',
    ),
    "lines": Exchange(
        "/o/main/events?as=ndjson",
        200,
        "application/x-ndjson; charset=utf-8",
        PRIVATE,
        "person",
        saved_as='attachment; filename="main-events-DAY.ndjson"',
    ),
    "invitation that is none": Exchange("/join/nothing", 404, HTML, NEVER),
    "API": Exchange("/api/v1/orgs/main/queues", 200, JSON, PRIVATE, "token"),
    "API without token": Exchange("/api/v1/orgs/main/queues", 401, PROBLEM, PRIVATE),
    "API of others": Exchange("/api/v1/orgs/other/queues", 404, PROBLEM, PRIVATE, "token"),
    "API that says what is wrong": Exchange(
        "/api/v1/orgs/main/workloads", 400, PROBLEM, PRIVATE, "token", "POST", "{"
    ),
    "API that does not do that": Exchange(
        "/api/v1/orgs/main/queues", 405, PROBLEM, PRIVATE, "token", "DELETE"
    ),
    "API of the client": Exchange("/api/v2/userinfo/", 200, JSON, PRIVATE, "token"),
    "API of the client without token": Exchange("/api/v2/userinfo/", 401, JSON, PRIVATE),
    "API's description": Exchange(
        # Left to the generator, these headers would change the content type and the file name.
        '/api/v1/schema/?version=a%0Ab"&lang=de%0A',
        200,
        "application/vnd.oai.openapi; charset=utf-8",
        None,
        saved_as='inline; filename="sluice.yaml"',
    ),
    "API's description as JSON": Exchange(
        "/api/v1/schema/?format=json",
        200,
        "application/vnd.oai.openapi+json; charset=utf-8",
        None,
        saved_as='inline; filename="sluice.json"',
    ),
    "API reference": Exchange("/api/v1/docs/", 200, HTML, PRIVATE),
    "operation of the API": Exchange("/api/v1/docs/get_org", 200, HTML, PRIVATE, "person"),
    "operation that does not exist": Exchange("/api/v1/docs/nothing", 404, HTML, None),
    "documentation": Exchange("/docs/", 200, HTML, PRIVATE),
    "page of the documentation": Exchange("/docs/queues/", 200, HTML, PRIVATE, "person"),
    "page of the documentation that does not exist": Exchange("/docs/x/", 404, HTML, PRIVATE),
    "file of the documentation": Exchange(
        "/docs/gitops/apply.sh", 200, "text/plain; charset=utf-8", "public, max-age=3600"
    ),
    "liveness": Exchange("/healthz", 200, JSON, None),
    "readiness": Exchange("/readyz", 200, JSON, "no-store"),
    "metrics": Exchange(
        "/metrics", 200, "text/plain; version=0.0.4; charset=utf-8", "no-store", "monitoring"
    ),
    "metrics without token": Exchange("/metrics", 403, "text/plain; charset=utf-8", None),
    "static file": Exchange("/static/@", 200, 'text/css; charset="utf-8"', FOREVER),
}


@dataclass(slots=True)
class Visitor:
    """A client with cookies, with a token, or with neither."""

    product: Product
    cookies: dict[str, str]
    token: str

    def ask(self, asked: Exchange, path: str) -> tuple[int, HTTPMessage, str]:
        """Send a request and return status, headers and body."""
        headers = {}
        if asked.by == "person":
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if asked.by == "token":
            headers |= {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        elif asked.by == "monitoring":
            headers["Authorization"] = f"Bearer {METRICS}"
        elif asked.body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        return _sent(self.product, asked.method, path, asked.body, headers)


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A product behind TLS whose first owner has not signed in yet."""
    home = tmp_path_factory.mktemp("headers")
    with running(
        home, CSRF_TRUSTED_ORIGINS="https://sluice.example", METRICS_TOKEN=METRICS
    ) as product:
        yield product


@pytest.fixture(scope="module")
def signed_in(product: Product) -> HTTPMessage:
    """Sign the first owner in, and return the headers of the answer."""
    welcome = re.search(r"Sign in as +(\S+)\s+Password +(\S+)", product.output())
    assert welcome is not None
    _, headers, page = _sent(product, "GET", "/login", None, {})
    hidden = re.search(r'csrfmiddlewaretoken" value="(\w+)"', page)
    assert hidden is not None
    fields = {
        "csrfmiddlewaretoken": hidden[1],
        "email": welcome[1],
        "password": welcome[2],
        "next": "",
    }
    cookie = "; ".join(value.partition(";")[0] for value in headers.get_all("Set-Cookie", []))
    form = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    status, headers, _ = _sent(product, "POST", "/login", urlencode(fields), form)
    assert status == 302
    return headers


@pytest.fixture(scope="module")
def visitor(product: Product, signed_in: HTTPMessage) -> Visitor:
    """Return the client for all callers."""
    pairs = (value.partition(";")[0] for value in signed_in.get_all("Set-Cookie", []))
    cookies = dict(pair.split("=", 1) for pair in pairs)
    token = product.manage(
        "create_token", "--org", "main", "--role", "submitter", "--name", "headers"
    )
    return Visitor(product, cookies, token)


#: A poll without changes gets some when a sample is taken between page and poll.
_TRIES = 5


def _path(visitor: Visitor, asked: Exchange) -> str:
    """Return the path of a request, with the values that the page shows now."""
    if "@" not in asked.path:
        return asked.path
    _, _, page = visitor.ask(ANSWERS["page"], ANSWERS["page"].path)
    pattern = r'data-version="([^"]+)"' if "?v=" in asked.path else r'"/static/([^"]+\.css)"'
    found = re.search(pattern, page)
    assert found is not None
    return asked.path.replace("@", found[1])


@pytest.mark.parametrize("kind", ANSWERS)
def test_every_kind_of_response_has_security_headers(visitor: Visitor, kind: str) -> None:
    asked = ANSWERS[kind]
    for _ in range(_TRIES):
        status, headers, _ = visitor.ask(asked, _path(visitor, asked))
        if status == asked.status:
            break
    told = {name: headers.get_all(name) for name in GUARDS}
    assert told == {name: [value] for name, value in GUARDS.items()}
    names = ("Content-Type", "Cache-Control", "Content-Disposition")
    told_here = [re.sub(r"\d{4}-\d\d-\d\d", "DAY", headers[name] or "") for name in names]
    found_here = status, *(text or None for text in told_here)
    assert found_here == (asked.status, asked.content_type, asked.cache, asked.saved_as)


EVERYWHERE = {"Path=/", "SameSite=Lax", "Secure"}


def test_sign_in_cookies_have_security_attributes(signed_in: HTTPMessage) -> None:
    assert _cookies(signed_in) == {
        "sluice_session": {*EVERYWHERE, "HttpOnly", "Max-Age=1209600"},
        "sluice_csrf": {*EVERYWHERE, "Max-Age=31449600"},
    }


def test_later_cookies_have_the_same_attributes(visitor: Visitor) -> None:
    """Cookies of notices and of the reader's choices; scripts change one of the choices."""
    everything = {"theme": "dark", "density": "compact", "keys": "off"}
    status, headers = _posted(visitor, "/o/main/settings/appearance", everything)
    year = "Max-Age=31536000"
    assert status == 302
    assert _cookies(headers) == {
        "messages": {*EVERYWHERE, "HttpOnly"},
        "theme": {*EVERYWHERE, "HttpOnly", year},
        "density": {*EVERYWHERE, "HttpOnly", year},
        "keys": {*EVERYWHERE, year},
    }
    status, headers = _posted(visitor, "/sessions", {"do": "others"})
    assert (status, _cookies(headers)) == (302, {"messages": {*EVERYWHERE, "HttpOnly"}})


def _posted(visitor: Visitor, path: str, fields: dict[str, str]) -> tuple[int, HTTPMessage]:
    """Submit the form of a page as a browser does."""
    form = urlencode({**fields, "csrfmiddlewaretoken": visitor.cookies["sluice_csrf"]})
    headers = {
        "Cookie": "; ".join(f"{name}={value}" for name, value in visitor.cookies.items()),
        "Content-Type": "application/x-www-form-urlencoded",
    }
    status, told, _ = _sent(visitor.product, "POST", path, form, headers)
    return status, told


def _cookies(headers: HTTPMessage) -> dict[str, set[str]]:
    """Return the attributes of each cookie that is set, without `expires`: it repeats the age."""
    found = {}
    for value in headers.get_all("Set-Cookie", []):
        pair, *attributes = value.split("; ")
        found[pair.partition("=")[0]] = {a for a in attributes if not a.startswith("expires")}
    return found


def test_unknown_host_is_refused(product: Product) -> None:
    status, headers, body = _sent(product, "GET", "/login", None, {"Host": "elsewhere.example"})
    assert (status, headers["X-Content-Type-Options"]) == (400, "nosniff")
    assert "elsewhere.example" not in body


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/readyz?for=traffic"])
def test_probes_may_use_the_ip_address_as_host(product: Product, path: str) -> None:
    status, headers, _ = _sent(product, "GET", path, None, {"Host": "10.1.2.3:8000"})
    assert (status, headers["X-Content-Type-Options"]) == (200, "nosniff")


HOST = b"Host: localhost\r\n"
#: Requests that two servers in a row could parse differently, and the expected responses.
AMBIGUOUS = {
    "two lengths": (b"POST /login HTTP/1.1\r\n" + HOST, b"Content-Length: 0\r\nContent-Length: 5"),
    "a length and chunks": (
        b"POST /login HTTP/1.1\r\n" + HOST,
        b"Content-Length: 4\r\nTransfer-Encoding: chunked",
    ),
    "chunks of another kind": (
        b"POST /login HTTP/1.1\r\n" + HOST,
        b"Transfer-Encoding: xchunked\r\nContent-Length: 4",
    ),
    "a length with a sign": (b"POST /login HTTP/1.1\r\n" + HOST, b"Content-Length: +4"),
    "a space before the colon": (b"POST /login HTTP/1.1\r\n" + HOST, b"Content-Length : 4"),
    "a folded header": (b"GET /login HTTP/1.1\r\n" + HOST, b"X-A: 1\r\n folded: 2"),
    "NUL in a header": (b"GET /login HTTP/1.1\r\n" + HOST, b"X-A: 1\0"),
    "a line that ends early": (b"GET /login HTTP/1.1\r\n" + HOST, b"X-A: 1\rX-B: 2"),
    "two hosts": (b"GET /login HTTP/1.1\r\n" + HOST, b"Host: elsewhere.example"),
    "an address of two words": (b"GET /login /x HTTP/1.1\r\n" + HOST, b"X-A: 1"),
}


@pytest.mark.parametrize("kind", AMBIGUOUS)
def test_ambiguous_request_is_refused(product: Product, kind: str) -> None:
    """The rest of the connection is not read: it could be answered as another request."""
    line, header = AMBIGUOUS[kind]
    smuggled = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
    with socket.create_connection(("127.0.0.1", product.port), timeout=30) as connection:
        connection.sendall(line + header + b"\r\n\r\n0\r\n\r\n" + smuggled)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    statuses = re.findall(rb"^HTTP/1\.1 (\d+)", answer, re.MULTILINE)
    assert statuses == [b"501" if kind == "chunks of another kind" else b"400"]


def _sent(
    product: Product, method: str, path: str, body: str | None, headers: dict[str, str]
) -> tuple[int, HTTPMessage, str]:
    connection = HTTPConnection("127.0.0.1", product.port, timeout=30)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, text
