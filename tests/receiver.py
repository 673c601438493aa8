"""A local receiver of webhooks that stores requests and sends configured responses."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

#: Self-signed certificate and key of hooks.example.
CERTIFICATE = Path(__file__).parent / "hooks.example.pem"


@dataclass(slots=True)
class Received:
    """A received request."""

    path: str
    headers: dict[str, str]
    body: bytes


Answering = Callable[[BaseHTTPRequestHandler], None]


def accept(handler: BaseHTTPRequestHandler) -> None:
    """Answer with success."""
    answer(handler, 200, b"thank you")


def answer(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    """Answer with *status* and *body*."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@dataclass(slots=True)
class Receiver:
    """A webhook server and the requests that it has received."""

    port: int
    answering: Answering = accept
    got: list[Received] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The URL to configure in the webhook."""
        return f"http://127.0.0.1:{self.port}/hook?x=1"


@contextmanager
def receiving(*, tls: bool = False) -> Iterator[Receiver]:
    """Run a receiver on a free port; with *tls* its host name is hooks.example."""
    receiver = Receiver(0)

    class Handler(BaseHTTPRequestHandler):
        def handle(self) -> None:
            # The client may have disconnected, or may not trust the certificate.
            with suppress(OSError):
                super().handle()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.got.append(Received(self.path, dict(self.headers), body))
            receiver.answering(self)

        def do_GET(self) -> None:
            receiver.got.append(Received(self.path, dict(self.headers), b""))
            answer(self, 200, b"")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        # The TLS handshake runs in the thread of the request.
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    server.daemon_threads = True
    server.block_on_close = False
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
