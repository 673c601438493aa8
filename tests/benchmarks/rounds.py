"""Client that submits to some organizations in turn and finishes their admitted workloads."""

from __future__ import annotations

import threading
import time

from tests.product import Api


class Round(threading.Thread):
    """
    Submits *rate* workloads a second, *bulk* per request, and finishes the admitted ones.

    Requests alternate between the organizations; *submitted* and *finished* count workloads.
    """

    def __init__(
        self,
        port: int,
        orgs: list[tuple[str, str]],
        *,
        rate: float,
        bulk: int,
        delay: float,
        finish_every: float = 0.0,
    ) -> None:
        """
        Act for *orgs*, slug and token of each; wait *delay* seconds before the first request.

        Decisions of an organization are read every *finish_every* seconds.
        """
        super().__init__(daemon=True)
        self._api = Api(port, "", "")
        self._orgs = orgs
        self._over = threading.Event()
        self._bulk = bulk
        #: Seconds between two turns.
        self._pause = bulk / rate
        self._after = dict.fromkeys((slug for slug, _ in orgs), 0)
        self._finish_every = finish_every
        self._read_at = dict.fromkeys(self._after, 0.0)
        self._delay = delay
        self.submitted = self.finished = 0
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Submit to one organization after the other; late requests are made up for."""
        try:
            begun, turn = time.monotonic() + self._delay, 0
            while not self._over.wait(max(0.0, begun + turn * self._pause - time.monotonic())):
                slug, token = self._orgs[turn % len(self._orgs)]
                self._api.act_for(slug, token)
                self._submit(turn)
                if time.monotonic() - self._read_at[slug] >= self._finish_every:
                    self._finish(slug)
                turn += 1
            while self.finished < self.submitted:
                for slug, token in self._orgs:
                    self._api.act_for(slug, token)
                    self._finish(slug)
        except BaseException as error:
            self.failure = error
            raise

    def stop(self) -> None:
        """Stop when all submitted workloads are finished."""
        self._over.set()
        self.join(120)
        assert not self.is_alive(), "not everything was admitted within 120 s"
        assert self.failure is None, self.failure

    def _submit(self, turn: int) -> None:
        batch = [{"name": f"train-{turn}-{i}", "requests": {"gpu": 1}} for i in range(self._bulk)]
        self._api.post("/workloads", {"workloads": batch})
        self.submitted += self._bulk

    def _finish(self, slug: str) -> None:
        self._read_at[slug] = time.monotonic()
        rows = self._api.get(f"/decisions?after={self._after[slug]}&limit=1000")["results"]
        if rows:
            self._after[slug] = rows[-1]["seq"]
            ids = [row["workload"]["id"] for row in rows if row["outcome"] == "admitted"]
            self._api.post("/workloads/finish", {"ids": ids})
            self.finished += len(ids)
