"""The figures: what a played trace came to, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one played trace cost and reached."""

    trace: str
    workloads: int
    #: Seconds that passed while it was played, and those that the processor worked.
    wall_seconds: float
    cpu_seconds: float
    #: Quota held over time, of nominal quota over the same time, 0 to 1: in virtual time over the
    #: makespan, in real time over the wall time, which ends when the last end has been told.
    quota_use: float
    #: Mean seconds of the trace's own time from submission to admission, by set of workloads.
    admission_seconds: Mapping[str, float]
    #: In real time those that an executor is told, which leaves out who waits.
    decisions: int
    preemptions: int
    #: Seconds of the trace's own time from its begin to the latest end.
    makespan_seconds: float
    #: What of `quota_use` is time in which the executor ran the work; None in virtual time, in
    #: which there is no other.
    work_use: float | None = None
    #: Names all decisions in their order: equal digests, equal decisions. In real time no two
    #: plays are alike, and there is none.
    digest: str | None = None

    @property
    def decisions_per_second(self) -> float:
        """Decisions per second that passed."""
        return self.decisions / self.wall_seconds if self.wall_seconds else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values; seconds to the millisecond."""
        told = {name: value for name, value in asdict(self).items() if value is not None}
        return told | {
            "wall_seconds": round(self.wall_seconds, 3),
            "cpu_seconds": round(self.cpu_seconds, 3),
            "quota_use": round(self.quota_use, 4),
            **({} if self.work_use is None else {"work_use": round(self.work_use, 4)}),
            "admission_seconds": {
                kind: round(seconds, 3) for kind, seconds in self.admission_seconds.items()
            },
            "makespan_seconds": round(self.makespan_seconds, 3),
            "decisions_per_second": round(self.decisions_per_second),
        }

    def to_text(self) -> str:
        """Return a line for each figure."""
        waits = ", ".join(f"{kind} {each:.2f} s" for kind, each in self.admission_seconds.items())
        rows = [
            ("workloads", f"{self.workloads:,}, every one done once"),
            ("wall", f"{self.wall_seconds:.2f} s"),
            ("cpu", f"{self.cpu_seconds:.2f} s"),
            ("decisions", f"{self.decisions:,} ({self.decisions_per_second:,.0f} per second)"),
            ("preemptions", f"{self.preemptions:,}"),
            ("makespan", f"{self.makespan_seconds:.2f} s of the trace's time"),
            ("quota use", f"{self.quota_use:.1%}"),
            ("mean time to admission", waits),
        ]
        if self.work_use is not None:
            rows.append(("quota in use by work", f"{self.work_use:.1%}"))
        if self.digest is not None:
            rows.append(("digest of the decisions", self.digest))
        return "\n".join(f"{name:<25}{value}" for name, value in rows)
