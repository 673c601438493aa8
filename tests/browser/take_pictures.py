"""
Take the pictures of the documentation: the main pages, in light and dark mode.

make pictures

Starts a product with a day of history (`tests.browser.yesterday`), with the demo of the README
tour, and with two teams that share a cohort, and writes docs/images/*.png.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize

from console.dialects import dialects
from console.home import Home
from console.traffic.mix import MIXES
from tests import tour
from tests.browser.chromium import chromium
from tests.browser.picture_stops import stops
from tests.browser.yesterday import OWNER, PASSWORD, SLUG
from tests.product import ROOT, Api, Product, running

IMAGES = ROOT / "docs" / "images"
SCHEMES = ("light", "dark")
SIZE: ViewportSize = {"width": 1280, "height": 800}

#: Most bytes of a picture.
LARGEST = 300_000


def main() -> int:
    """Take a picture at each stop; return exit status 1 when one is too large."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        _play_yesterday(home.database)
        with running(home.folder, SLUICE_DEMO="1") as product, chromium() as browser:
            _take(browser, product)
    too_large = [path.name for path in IMAGES.glob("*.png") if path.stat().st_size > LARGEST]
    sys.stdout.write(f"too large: {', '.join(too_large)}\n" if too_large else "")
    return 1 if too_large else 0


def _play_yesterday(database: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "tests.browser.yesterday", str(database)], cwd=ROOT, check=True
    )


def _take(browser: Browser, product: Product) -> None:
    pages = [_signed_in(browser, product, scheme) for scheme in SCHEMES]
    home = f"http://127.0.0.1:{product.port}/o/{SLUG}"

    def ask(path: str) -> Any:
        answer = pages[0].request.get(f"http://127.0.0.1:{product.port}/api/v1/orgs/{SLUG}{path}")
        assert answer.ok, answer.text()
        return answer.json()

    for stop in stops(ask):
        for page in pages:
            page.set_viewport_size({"width": stop.width, "height": stop.height})
            page.goto(f"{home}/{stop.path}")
            stop.arrange(page)
            _picture(page, stop.name)
    for page in pages:
        page.set_viewport_size(SIZE)
    _walk(pages, product)
    _share(pages, product)


def _walk(pages: list[Page], product: Product) -> None:
    api = product.api("demo")
    _fill(api)
    home = f"http://127.0.0.1:{product.port}/o/demo"
    for page in pages:
        page.goto(f"{home}/queues/ml_training")
        _picture(page, "queue")
    text = tour.with_mistake(api.get("/config")["text"])
    pages[0].goto(f"{home}/config/edit")
    _write(pages[0], text)
    draft = pages[0].url
    for page in pages:
        page.goto(draft)
        page.get_by_role("button", name="Quote it").wait_for()
        # Tall enough for the text and its problems, with the cursor at the mistake.
        page.set_viewport_size({"width": SIZE["width"], "height": 980})
        page.locator(".ace_text-input").focus()
        page.keyboard.press("F8")
        page.locator("[data-context] h3, [data-context] p").first.wait_for()
        page.evaluate("scrollTo(0, 0)")
        _picture(page, "editor")
        page.set_viewport_size(SIZE)
    _judge(pages, home, tour.with_less(api.get("/config")["text"]))
    version = {
        "text": tour.repaired(text),
        "message": "A queue for nightly runs",
        "expected_version": 1,
    }
    api.post("/config/versions", version, expect=201)
    rejected = api.post("/workloads", tour.submission())["ids"][2]
    _wait_for(api, rejected, "rejected")
    for page in pages:
        page.goto(f"{home}/workloads/{rejected}")
        _picture(page, "why")


def _judge(pages: list[Page], home: str, text: str) -> None:
    """Show the changes of a draft and its impact on the workloads."""
    pages[0].goto(f"{home}/config/edit")
    _write(pages[0], text)
    draft = pages[0].url.rpartition("/")[2]
    for page in pages:
        page.goto(f"{home}/config/review?draft={draft}")
        _picture(page, "review")
        page.goto(f"{home}/config/impact?draft={draft}")
        page.get_by_role("heading", name="Recorded history").wait_for()
        _picture(page, "impact")


def _write(page: Page, text: str) -> None:
    page.evaluate("text => ace.edit(document.querySelector('.editor__ace')).setValue(text)", text)
    # The notice about an older draft says when that was saved, too.
    page.locator("[data-saved]", has_text="Draft saved").wait_for()
    page.wait_for_url("**/config/drafts/*")


def _share(pages: list[Page], product: Product) -> None:
    """Let one team borrow the unused quota of another, and return it."""
    product.manage("create_org", "teams", "--owner", "owner@localhost")
    api = product.api("teams")
    version = {
        "dialect": "kueue",
        "text": dialects()["kueue"].samples()["Two teams share one cohort"],
        "message": "Two teams share one cohort",
        "expected_version": 0,
    }
    api.post("/config/versions", version, expect=201)
    for name, gpus in (("transcribe", 8), ("transcribe-more", 6)):
        (borrower,) = api.post("/workloads", {"workloads": [_trains(name, "speech", gpus)]})["ids"]
        _wait_for(api, borrower, "admitted")
    home = f"http://127.0.0.1:{product.port}/o/teams"
    for page in pages:
        page.goto(f"{home}/cohorts/research#matrix")
        _picture(page, "cohort")
        page.goto(f"{home}/help/quota-bars")
        page.locator("#cases").screenshot(path=IMAGES / f"quota-bars-{_scheme(page)}.png")
    late = _trains("detect", "vision", 12, "production")
    (owner,) = api.post("/workloads", {"workloads": [late]})["ids"]
    _wait_for(api, owner, "pending")
    for page in pages:
        page.goto(f"{home}/workloads/{borrower}")
        _picture(page, "reclaim")


def _trains(name: str, team: str, gpus: int, priority: str = "experiment") -> dict[str, Any]:
    labels = {
        "kueue.x-k8s.io/queue-name": "training",
        "kueue.x-k8s.io/priority-class": priority,
    }
    pods = {
        "name": "main",
        "count": 1,
        "requests": {"cpu": 12 * gpus, "memory": f"{96 * gpus}Gi", "nvidia.com/gpu": gpus},
        "node_selector": {"capacity": "reserved"},
    }
    return {"name": name, "namespace": team, "tags": labels, "pod_sets": [pods]}


def _signed_in(browser: Browser, product: Product, scheme: Any) -> Page:
    page = browser.new_context(viewport=SIZE, color_scheme=scheme).new_page()
    page.goto(f"http://127.0.0.1:{product.port}/login")
    page.get_by_label("E-mail address").fill(OWNER)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/o/**")
    return page


def _fill(api: Api) -> None:
    """Submit workloads of all kinds, enough to fill the quota and let some wait."""
    draw = random.Random(7)
    offered = MIXES["priority"]
    kinds = draw.choices(offered, [kind.weight for kind in offered], k=48)
    bodies = [
        {**body, "name": f"{body['name']}-{number:03d}", "user": f"user-{number % 9}"}
        for number, body in enumerate((kind.body(draw) for kind in kinds), 1)
    ]
    ids = api.post("/workloads", {"workloads": bodies})["ids"]
    _wait_for(api, ids[-1], "admitted", "pending", "rejected")
    while stopping := api.get("/workloads?state=preempting")["results"]:
        for workload in stopping:
            api.post(f"/workloads/{workload['id']}/release", {})
        time.sleep(0.5)


def _wait_for(api: Api, uid: str, *states: str) -> None:
    deadline = time.monotonic() + 30
    while True:
        workload = api.get(f"/workloads/{uid}")
        if workload["state"] in states and workload["reason"]["code"] != "not_evaluated":
            return
        assert time.monotonic() < deadline, workload
        time.sleep(0.2)


def _picture(page: Page, name: str) -> None:
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / f"{name}-{_scheme(page)}.png")


def _scheme(page: Page) -> str:
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    return "dark" if is_dark else "light"


if __name__ == "__main__":
    sys.exit(main())
