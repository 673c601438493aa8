"""A temporary product for measurements: started by `manage.py up`, and removed afterwards."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty, Queue
from threading import Thread
from urllib.parse import urlsplit, urlunsplit

import psutil
from django.conf import settings
from django.db import DatabaseError, connection

from console.traffic.client import Client

#: Timeout of a start, a stop and a command in seconds.
_PATIENCE = 120

#: Variables that configure another product, removed from the environment. The temporary product
#: has its own broker, which has no messages of other products.
_UNSET_VARIABLES = (
    "DATABASE_URL",
    "REDIS_URL",
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "HOST",
    "DJANGO_SETTINGS_MODULE",
    "TOKEN_REQUESTS_PER_SECOND",
)

#: The organization of a first start.
_ORG = "main"


class ProductNotStarted(Exception):
    """The product did not start; the message has the reason and its last output lines."""


@dataclass(slots=True)
class Product:
    """A running product and its output."""

    process: subprocess.Popen[str]
    environment: dict[str, str]
    url: str = ""
    token: str = ""
    #: The last lines of its output.
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=20))
    #: Receives its address when a line contains it, and None at the end of the output.
    _address: Queue[str | None] = field(default_factory=Queue)
    reader: Thread = field(init=False)

    def __post_init__(self) -> None:
        """Read the output of the process until it ends: a full pipe would block it."""
        self.reader = Thread(target=self._read, daemon=True)
        self.reader.start()

    def wait_until_ready(self) -> None:
        """Wait for its address; raise ProductNotStarted if it prints none."""
        with suppress(Empty):
            self.url = self._address.get(timeout=_PATIENCE) or ""
        if not self.url:
            raise ProductNotStarted(f"The product did not start:\n{''.join(self.lines)}")

    def connect(self) -> Client:
        """Return a client with the token of an owner."""
        return Client(self.url, _ORG, self.token)

    def cpu_seconds(self) -> float:
        """Return the total processor time of all its current processes."""
        total = 0.0
        parent = psutil.Process(self.process.pid)
        for process in (parent, *parent.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                total += times.user + times.system
        return total

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if found := re.search(r"ready at (http://\S+)", line):
                self._address.put(found[1])
        self._address.put(None)


@contextmanager
def running_product() -> Iterator[Product]:
    """
    Start a product with an empty database, and stop it at the end.

    The database is an SQLite file in a temporary folder or, if `DATABASE_URL` names a PostgreSQL
    server, a new database on that server, which is dropped at the end. Raise ProductNotStarted.
    """
    with tempfile.TemporaryDirectory() as folder, _database() as database:
        environment = {
            name: value for name, value in os.environ.items() if name not in _UNSET_VARIABLES
        }
        environment |= {"SLUICE_HOME": folder, "SLUICE_DEMO": "0", **database}
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", "0"],
            cwd=settings.BASE_DIR,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        product = Product(process, environment)
        try:
            product.wait_until_ready()
            product.token = _token(product)
            yield product
        finally:
            _stop(product)


@contextmanager
def _database() -> Iterator[dict[str, str]]:
    """Yield the environment variables of an empty database."""
    if connection.vendor != "postgresql":
        yield {}
        return
    name = f"sluice_bench_{secrets.token_hex(4)}"
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
    except DatabaseError as error:
        raise ProductNotStarted(
            f"No database could be created on the server of DATABASE_URL ({str(error).strip()}); "
            "its user needs the right to create databases."
        ) from error
    try:
        url = urlsplit(os.environ["DATABASE_URL"])
        yield {"DATABASE_URL": urlunsplit(url._replace(path=f"/{name}"))}
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _token(product: Product) -> str:
    try:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "manage.py", "create_token", "--org", _ORG, "--role", "owner"],
            cwd=settings.BASE_DIR,
            env=product.environment,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
        )
    except subprocess.SubprocessError as error:
        output = str(getattr(error, "stderr", None) or error).strip()
        raise ProductNotStarted(f"No token could be created for the product: {output}") from error
    return done.stdout.strip()


def _stop(product: Product) -> None:
    process = product.process
    process.send_signal(signal.SIGINT)
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    # The reader thread ends with the output.
    product.reader.join()
    assert process.stdout is not None
    process.stdout.close()
