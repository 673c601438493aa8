"""Typed readers of environment variables; the error for a bad value names the variable."""

from __future__ import annotations

import os
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")
_DATABASE_SCHEMES = ("postgres", "postgresql", "sqlite")
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_BROKER_SCHEMES = ("redis", "rediss", "unix")


def text(name: str, default: str) -> str:
    """Return a variable as text, or *default* if it is unset or empty."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, *, default: bool) -> bool:
    """Return an on/off variable; raise ImproperlyConfigured for any other word."""
    value = text(name, "1" if default else "0").lower()
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise _refused(name, value, "1 or 0")


def port(name: str, default: int) -> int:
    """Return a TCP port, 0 for any free one; raise ImproperlyConfigured for anything else."""
    value = text(name, str(default))
    if not (value.isascii() and value.isdigit() and len(value) <= 5 and int(value) <= 65535):
        raise _refused(name, value, "a port from 1 to 65535, or 0 for any free one")
    return int(value)


def choice(name: str, allowed: Sequence[str], default: str) -> str:
    """Return one of *allowed*; raise ImproperlyConfigured for anything else."""
    value = text(name, default)
    if value not in allowed:
        raise _refused(name, value, " or ".join(allowed))
    return value


def words(name: str, default: Sequence[str]) -> list[str]:
    """Return the parts of a comma-separated variable, without empty ones."""
    found = [part.strip() for part in os.environ.get(name, "").split(",")]
    return [part for part in found if part] or list(default)


def origins(name: str) -> list[str]:
    """Return a comma-separated list of origins; raise ImproperlyConfigured for other forms."""
    found = words(name, [])
    for value in found:
        if not _is_origin(value):
            raise _refused(name, value, "origins such as https://console.example.org")
    return found


def origin(name: str, default: str) -> str:
    """Return one origin; raise ImproperlyConfigured for other forms."""
    value = text(name, default)
    if not _is_origin(value):
        raise _refused(name, value, "an origin such as https://console.example.org")
    return value


def _is_origin(value: str) -> bool:
    parts = urlsplit(value)
    return parts.scheme in ("http", "https") and value == f"{parts.scheme}://{parts.netloc}"


def issuer(name: str) -> str:
    """
    Return the URL of an OpenID Connect issuer, or "" if it is unset.

    Raise ImproperlyConfigured unless it begins with https:// (http:// for this machine alone).
    """
    value = text(name, "")
    parts = urlsplit(value)
    is_local = parts.scheme == "http" and parts.hostname in _THIS_MACHINE
    is_issuer = (parts.scheme == "https" or is_local) and parts.hostname
    if value and (not is_issuer or parts.query or parts.fragment):
        raise _refused(name, value, "an issuer such as https://login.example.org/realms/main")
    return value


def together(*names: str) -> None:
    """Raise ImproperlyConfigured if only some of these variables are set."""
    missing = [name for name in names if not text(name, "")]
    if missing and len(missing) < len(names):
        present = ", ".join(name for name in names if name not in missing)
        raise ImproperlyConfigured(f"{present} needs {', '.join(missing)} beside it.")


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Return a comma-separated list of networks; raise ImproperlyConfigured for other forms."""
    try:
        return [ip_network(value) for value in words(name, [])]
    except ValueError as error:
        accepted = "addresses or networks such as 10.0.0.5,192.168.0.0/16"
        raise _refused(name, text(name, ""), accepted) from error


def number(name: str, default: int, least: int, most: int) -> int:
    """Return a whole number; raise ImproperlyConfigured outside *least* to *most*."""
    value = text(name, str(default))
    is_number = value.isascii() and value.isdigit() and len(value) <= len(str(most))
    if not is_number or not least <= int(value) <= most:
        raise _refused(name, value, f"a whole number from {least} to {most}")
    return int(value)


def number_or_zero(name: str, least: int, most: int, default: int = 0) -> int:
    """Return 0 or a whole number; raise ImproperlyConfigured outside *least* to *most*."""
    value = text(name, str(default))
    is_number = value.isascii() and value.isdigit() and len(value) <= len(str(most))
    if not is_number or not (int(value) == 0 or least <= int(value) <= most):
        raise _refused(name, value, f"0, or a whole number from {least} to {most}")
    return int(value)


def folder(name: str, default: Path) -> Path:
    """Return the absolute path of a folder, which need not exist."""
    return Path(text(name, str(default))).expanduser().absolute()


def optional_folder(name: str) -> Path | None:
    """Return the path of a folder or None if unset; raise ImproperlyConfigured if it is missing."""
    value = text(name, "")
    path = Path(value).expanduser().absolute()
    if value and not path.is_dir():
        raise _refused(name, value, "a folder that exists")
    return path if value else None


def database(name: str, default: Path) -> dict[str, Any]:
    """
    Return Django's settings of a database URL, or of the SQLite file *default*.

    Raise ImproperlyConfigured unless it is a `postgresql://` or `sqlite:///` URL.
    """
    value = text(name, f"sqlite:///{default}")
    accepted = "postgresql://USER:PASSWORD@HOST/NAME or sqlite:////PATH"
    if value.partition("://")[0] not in _DATABASE_SCHEMES:
        raise _refused(name, _without_password(value), accepted)
    try:
        return dict(dj_database_url.parse(value))
    except ValueError as error:
        raise _refused(name, _without_password(value), accepted) from error


def broker(name: str, default: Path) -> str:
    """
    Return the broker's URL as the redis client reads it, or the unix socket *default*.

    Raise ImproperlyConfigured unless it is a `redis://`, `rediss://` or `unix://` URL.
    """
    value = text(name, f"unix://{default}")
    if value.partition("://")[0] not in _BROKER_SCHEMES:
        accepted = "redis://HOST:PORT/DB, rediss://HOST:PORT/DB or unix:///PATH"
        raise _refused(name, _without_password(value), accepted)
    return value


def celery_broker(url: str) -> str:
    """Return *url*, a result of `broker`, in the form that Celery expects."""
    if not url.startswith("unix://"):
        return url
    path, mark, query = url.replace("unix://", "redis+socket://", 1).partition("?")
    # Celery ignores `db` and would use database 0.
    said = [("virtual_host" if name == "db" else name, value) for name, value in parse_qsl(query)]
    return path + mark + urlencode(said)


def _refused(name: str, value: str, accepted: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} is {value!r}; it must be {accepted}.")


def _without_password(url: str) -> str:
    """Return *url* without its password, for messages."""
    head, at, tail = url.rpartition("@")
    if not at:
        return url
    scheme, separator, _ = head.partition("://")
    # Without the separator, the start of the password is unknown.
    return f"{scheme}{separator}…@{tail}" if separator else f"…@{tail}"
