"""A backup that is taken under load, as docs/operations.md says, is a product that goes on."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from console.home import Home
from tests.crash.load import PATIENCE, Load
from tests.crash.products import DATABASES, running_on
from tests.crash.truth import hold_outcomes, hold_rows
from tests.postgres import find_binaries, serving
from tests.product import Api, Product, running

#: Seconds of load before a backup, and after it.
LOADED = 1


def back_up(product: Product, place: Path) -> None:
    """Copy the database of *product*, which goes on, to *place*."""
    url = product.environment.get("DATABASE_URL")
    if url is not None:
        binaries = find_binaries()
        assert binaries is not None
        command = [binaries / "pg_dump", "--format=custom", "--file", place, url]
        subprocess.run(command, check=True, capture_output=True)
        return
    # What `.backup` of the shell calls.
    with (
        closing(sqlite3.connect(Home(product.home).database)) as source,
        closing(sqlite3.connect(place)) as target,
    ):
        source.backup(target)


@contextmanager
def restored(place: Path, secret_key: Path, home: Home, database: str) -> Iterator[Product]:
    """Start a product in an empty folder on the backup at *place*."""
    home.folder.mkdir()
    shutil.copy(secret_key, home.secret_key)
    if database == "sqlite":
        shutil.copy(place, home.database)
        with running(home.folder) as product:
            yield product
        return
    binaries = find_binaries()
    assert binaries is not None
    with serving(binaries, crashing=True) as url:
        command = [binaries / "pg_restore", "--no-owner", "--exit-on-error", "--dbname", url, place]
        subprocess.run(command, check=True, capture_output=True)
        with running(home.folder, DATABASE_URL=url) as product:
            yield product


def _feed(api: Api) -> list[tuple[int, str, str]]:
    feed: list[tuple[int, str, str]] = []
    while rows := api.get(f"/decisions?after={feed[-1][0] if feed else 0}&limit=1000")["results"]:
        feed += [(row["seq"], row["workload"]["id"], row["outcome"]) for row in rows]
    return feed


@pytest.mark.parametrize("database", DATABASES)
def test_a_backup_taken_under_load_goes_on(database: str, tmp_path: Path) -> None:
    place, home = tmp_path / "backup", Home(tmp_path / "restored")
    with running_on(database, tmp_path / "home") as product:
        load = Load(product)
        load.start()
        deadline = time.monotonic() + PATIENCE
        while not load.feed:
            assert time.monotonic() < deadline, f"nothing was decided within {PATIENCE} s"
            time.sleep(0.05)
        time.sleep(LOADED)
        told_before = list(load.feed)
        back_up(product, place)
        time.sleep(LOADED)
        load.stop()
        whole = _feed(product.api())
    secret_key = Home(tmp_path / "home").secret_key
    with restored(place, secret_key, home, database) as product:
        # It goes on by itself from where it was: with what was told before, word by word.
        feed = _feed(product.api())
        assert told_before
        assert feed[: len(told_before)] == told_before == whole[: len(told_before)]
        later = Load(product, is_new=False)
        assert later.accepted.keys() <= load.accepted.keys()
        later.start()
        time.sleep(LOADED)
        later.stop()
        later.drain()
        hold_outcomes(later)
        hold_rows(product)
        members = product.api().get("/members")["results"]
    assert [each["role"] for each in members] == ["owner"], json.dumps(members)
