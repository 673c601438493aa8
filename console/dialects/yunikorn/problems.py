"""Collects the findings about a config in the order in which YuniKorn looks for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from console.dialects.codes import Code
from console.dialects.findings import Findings, Place, Repair
from console.engine.disciplines.hierarchy.spec import Compatibility


class Stage(IntEnum):
    """When YuniKorn finds a problem; an earlier one hides all later ones."""

    #: While it reads the text.
    TEXT = 0
    #: While it checks what it has read.
    CHECK = 1
    #: While it builds the queues; the check has accepted the config.
    LOAD = 2
    #: When a running scheduler takes the config as an update; a start accepts it.
    UPDATE = 3


class Problems:
    """
    The findings about one config, with YuniKorn's messages.

    YuniKorn reports the first problem only, so that the order in which problems are added decides
    its message.
    """

    def __init__(self, findings: Findings, compatibility: Compatibility) -> None:
        self.findings = findings
        self.compatibility = compatibility
        #: Stage -> YuniKorn's messages in its order.
        self.messages: dict[Stage, list[str]] = {stage: [] for stage in Stage}

    def add(
        self,
        code: Code,
        place: Place,
        message: str,
        hint: str = "",
        repairs: tuple[Repair, ...] = (),
        *,
        original: str = "",
        stage: Stage = Stage.CHECK,
    ) -> None:
        """
        Add a finding; *original* is YuniKorn's message, if it has one.

        Raises ReadingStopped if there are too many errors.
        """
        if original:
            self.cite(original, stage)
        self.findings.add(code, place, message, hint, repairs, original)

    def muted(self) -> Problems:
        """Return problems that are noted with their messages, and not reported."""
        made = Problems(Findings(self.findings.positions), self.compatibility)
        made.messages = self.messages
        return made

    @contextmanager
    def unnoted(self, stage: Stage) -> Iterator[None]:
        """Leave out YuniKorn's messages of a stage meanwhile: it does not get there."""
        count = len(self.messages[stage])
        try:
            yield
        finally:
            del self.messages[stage][count:]

    def cite(self, original: str, stage: Stage) -> None:
        """Note a message of YuniKorn about a problem that is reported already."""
        self.messages[stage].append(original)
