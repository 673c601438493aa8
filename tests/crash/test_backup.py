"""A backup taken under load, as in docs/operations.md, restores to a working product."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg

from console.home import Home
from tests.crash.invariants import check_outcomes, check_rows
from tests.crash.load import PATIENCE, Load
from tests.crash.products import dump, restore, serving_postgresql
from tests.postgres import find_binaries, serving
from tests.product import Api, Product, managing, running

#: Seconds of load before a backup, and after it.
LOADED = 1

#: Id at which the second partition of decisions and events begins; this is the smallest partition.
EDGE = 1_000_000

#: Number of rows that still fit into the first partition.
BEFORE = 5


def back_up(product: Product, place: Path) -> None:
    """Copy the database of the running *product* to *place*."""
    url = product.environment.get("DATABASE_URL")
    if url is not None:
        binaries = find_binaries()
        assert binaries is not None
        dump(binaries, url, place)
        return
    # The function behind `.backup` of the sqlite3 shell.
    with (
        closing(sqlite3.connect(Home(product.home).database)) as source,
        closing(sqlite3.connect(place)) as target,
    ):
        source.backup(target)


def leave_behind(product: Product, home: Home) -> None:
    """Copy the SQLite files of the running *product* to *home*, as a crash leaves them."""
    home.folder.mkdir()
    for suffix in ("", "-wal", "-shm"):
        shutil.copy(f"{Home(product.home).database}{suffix}", f"{home.database}{suffix}")


@contextmanager
def restored(place: Path, secret_key: Path, home: Home, database: str) -> Iterator[Product]:
    """Start a product on the backup at *place*, in a new folder or in that of a crashed product."""
    home.folder.mkdir(exist_ok=True)
    shutil.copy(secret_key, home.secret_key)
    if database == "sqlite":
        # A left write-ahead log would be applied to the backup.
        for suffix in ("", "-wal", "-shm"):
            Path(f"{home.database}{suffix}").unlink()
        shutil.copy(place, home.database)
        with running(home.folder) as product:
            yield product
        return
    binaries = find_binaries()
    assert binaries is not None
    with serving(binaries, crashing=True) as url:
        restore(binaries, place, url)
        settings = {"DATABASE_URL": url}
        if database == "partitioned":
            settings["PARTITION_ROWS"] = str(EDGE)
            assert _filled_partitions(url) == FILLED
            with managing(home.folder, **settings) as management:
                told = management.run("partition")
            assert told == "All tables are partitioned already."
        with running(home.folder, **settings) as product:
            yield product


#: Partitions with rows, by their table.
FILLED = {
    table: [f"{table}_part_{EDGE}", f"{table}_part_first"]
    for table in ("workloads_decision", "workloads_event")
}


def _filled_partitions(url: str) -> dict[str, list[str]]:
    with psycopg.connect(url) as connection:
        return {
            table: [
                name
                for (name,) in connection.execute(
                    f"SELECT DISTINCT tableoid::regclass::text FROM {table} ORDER BY 1"  # noqa: S608
                )
            ]
            for table in FILLED
        }


@contextmanager
def _running_partitioned(home: Path) -> Iterator[Product]:
    """Start a product whose decisions and events are about to reach their second partition."""
    with serving_postgresql(migrated=True) as url:
        settings = {"DATABASE_URL": url, "PARTITION_ROWS": str(EDGE)}
        with managing(home, **settings) as management:
            management.run("partition")
        with psycopg.connect(url) as connection:
            for table in FILLED:
                connection.execute(
                    "SELECT setval(pg_get_serial_sequence(%s, 'id'), %s, false)",
                    [table, EDGE - BEFORE],
                )
        with running(home, **settings) as product:
            yield product


def _feed(api: Api) -> list[tuple[int, str, str]]:
    feed: list[tuple[int, str, str]] = []
    while rows := api.get(f"/decisions?after={feed[-1][0] if feed else 0}&limit=1000")["results"]:
        feed += [(row["seq"], row["workload"]["id"], row["outcome"]) for row in rows]
    return feed


def test_backup_taken_under_load_is_restored(product: Product, org: str, tmp_path: Path) -> None:
    database = "sqlite" if "DATABASE_URL" not in product.environment else "postgresql"
    _hold_backup(product, org, database, tmp_path)


def test_backup_of_partitions_is_restored(tmp_path: Path) -> None:
    with _running_partitioned(tmp_path / "home") as product:
        _hold_backup(product, "main", "partitioned", tmp_path)


def _hold_backup(product: Product, org: str, database: str, folder: Path) -> None:
    """Take a backup of *product* in *folder* under load, restore it, and check the result."""
    place, home = folder / "backup", Home(folder / "restored")
    load = Load(product, org)
    with load.running():
        deadline = time.monotonic() + PATIENCE
        while not load.feed:
            assert time.monotonic() < deadline, f"nothing was decided within {PATIENCE} s"
            time.sleep(0.05)
        time.sleep(LOADED)
        told_before = list(load.feed)
        back_up(product, place)
        time.sleep(LOADED)
        if database == "sqlite":
            leave_behind(product, home)
    whole = _feed(product.api(org))
    secret_key = Home(product.home).secret_key
    with restored(place, secret_key, home, database) as again:
        # It continues by itself, and the earlier part of the feed is unchanged.
        feed = _feed(again.api(org))
        assert told_before
        assert feed[: len(told_before)] == told_before == whole[: len(told_before)]
        later = Load(again, org, is_new=False)
        assert later.accepted.keys() <= load.accepted.keys()
        with later.running():
            time.sleep(LOADED)
        later.drain()
        check_outcomes(later)
        check_rows(again, org)
        members = again.api(org).get("/members")["results"]
    assert [each["role"] for each in members] == ["owner"], json.dumps(members)
