"""A second supervisor works on the same database, and is refused on the same state folder."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from console.home import Home
from tests.crash.products import databases
from tests.crash.under_load import A_WHILE, checked_load
from tests.product import ROOT, Product, running


@pytest.mark.parametrize("product", databases("postgresql"), ids="shared-{}".format, indirect=True)
def test_two_supervisors_share_a_database_but_no_folder(
    product: Product, org: str, tmp_path: Path
) -> None:
    with checked_load(product, org):
        url = product.environment.get("DATABASE_URL") or f"sqlite:///{Home(product.home).database}"
        keys = {"SECRET_KEY": Home(product.home).secret_key.read_text().strip()}
        with running(tmp_path / "another", DATABASE_URL=url, **keys) as other:
            time.sleep(A_WHILE)
            assert other.process.poll() is None
        again = subprocess.run(
            [sys.executable, "manage.py", "up"],
            cwd=ROOT, env=dict(product.environment), capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip
        assert again.returncode == 1
        assert again.stderr.startswith(f"sluice: Sluice already runs on {product.home} as process ")
