"""Version skew: differences between the migrations of this code and of the database."""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

import structlog
from django.apps import apps
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

log = structlog.get_logger("console.migrating")


@dataclass(frozen=True, slots=True)
class Skew:
    """The differences, as names of migrations such as `orgs.0001_create_orgs`."""

    #: Migrations of this code that the database lacks.
    missing: tuple[str, ...]
    #: Migrations that the database has and this code does not.
    unknown: tuple[str, ...]

    @property
    def older(self) -> str:
        """The message about a database that is older than this code; empty if it is not."""
        if not self.missing:
            return ""
        return (
            f"is older than this version, and lacks {_first_of(self.missing)}; "
            "run `manage.py migrate`"
        )

    @property
    def newer(self) -> str:
        """The message about a database that is newer than this code; empty if it is not."""
        if not self.unknown:
            return ""
        return (
            f"The database is newer than this version, which does not know "
            f"{_first_of(self.unknown)}. A database also works with the version before its own; "
            "update this process."
        )


def find_skew() -> Skew:
    """Compare this code with the database; raise DatabaseError if the database does not answer."""
    known = _known()
    applied = MigrationRecorder(connection).applied_migrations().keys()
    labels = {label for label, _ in known}
    return Skew(
        _named(known - applied),
        # Migrations of apps that are not installed are ignored.
        _named({key for key in applied if key[0] in labels} - known),
    )


def log_skew() -> None:
    """Log a difference between code and database at the start of a process, if there is one."""
    try:
        found = find_skew()
    except DatabaseError:
        return
    finally:
        # A process that is forked next must not inherit the connection.
        connection.close()
    if found.older:
        log.error("database and code differ", database=found.older)
    if found.newer:
        log.warning("database and code differ", note=found.newer)


@cache
def _known() -> frozenset[tuple[str, str]]:
    """Return the migrations of this code by app: only their names, because loading is slow."""
    found = set()
    for app in apps.get_app_configs():
        package, _ = MigrationLoader.migrations_module(app.label)
        spec = find_spec(package) if package else None
        for module in pkgutil.iter_modules((spec and spec.submodule_search_locations) or ()):
            if not module.ispkg and module.name[0] not in "_~":
                found.add((app.label, module.name))
    return frozenset(found)


def _named(keys: set[tuple[str, str]] | frozenset[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(sorted(f"{label}.{name}" for label, name in keys))


def _first_of(names: tuple[str, ...]) -> str:
    rest = len(names) - 1
    return f"{names[0]} and {rest} more" if rest else names[0]
