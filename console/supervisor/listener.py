"""The listening socket of the web server, opened before any process is started."""

from __future__ import annotations

import errno
import socket

from console.supervisor.failure import StartFailed


def listen(host: str, port: int) -> socket.socket:
    """
    Return a listening socket, to be inherited by the web server.

    Opened here, it reports a port in use at once, and no other program can take the port while the
    web server starts. Raises StartFailed if the socket cannot be opened.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise StartFailed(f"HOST is {host!r}, which is not an address of this machine.") from error
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise StartFailed(_reason(host, port, error)) from error
    return listener


def url_of(host: str, port: int) -> str:
    """Return the URL to open in a browser on this machine."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    return f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"


def _reason(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is in use by another program; choose a free one with --port "
            "or PORT."
        )
    if error.errno == errno.EACCES:
        return f"This user has no permission to open port {port}; choose one above 1023."
    return f"Port {port} on {host} cannot be opened ({error.strerror}); check HOST and PORT."
