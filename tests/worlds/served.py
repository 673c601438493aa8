"""A running product on a private copy of a world's database, started as users start it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from console.home import Home
from tests.product import Product, running
from tests.worlds.stored import stored
from tests.worlds.world import World


@dataclass(frozen=True, slots=True)
class Served:
    """A running product and its world; its members sign in with `PASSWORD`."""

    product: Product
    world: World

    @property
    def base(self) -> str:
        """Return the base URL, without a slash at the end."""
        return f"http://127.0.0.1:{self.product.port}"


@contextmanager
def serving(name: str, kept: Path | None = None, **settings: str) -> Iterator[Served]:
    """
    Run a product on a copy of world *name*, and stop it at the end.

    The world is read from the folder *kept*, and built there if it is missing; without *kept* it
    is built in a temporary folder. *settings* are environment variables of the product.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        home.folder.mkdir()
        world = stored(name, kept or Path(folder) / "worlds")
        world.copy(home.database)
        with running(home.folder, **settings) as product:
            yield Served(product, world.world)
