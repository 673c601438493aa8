"""Results of the replay of a trace, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """Speed of one replay of a trace, and quota use, waits and preemptions of its decisions."""

    trace: str
    workloads: int
    #: Wall time and processor time of the replay, in seconds.
    wall_seconds: float
    cpu_seconds: float
    #: Quota used over time as a fraction of nominal quota, 0 to 1: in virtual time over the
    #: makespan, in real time over the wall time, which ends with the last report of a finish.
    quota_use: float
    #: Mean seconds of trace time from submission to admission, by workload set.
    admission_seconds: Mapping[str, float]
    #: In real time only the decisions that an executor reads, without pending workloads.
    decisions: int
    preemptions: int
    #: Seconds of trace time from its start to the latest finish.
    makespan_seconds: float
    #: The part of `quota_use` in which the executor ran workloads; None in virtual time, in which
    #: it is all of `quota_use`.
    work_use: float | None = None
    #: Digest of all decisions in order. None in real time, in which no two replays are equal.
    digest: str | None = None

    @property
    def decisions_per_second(self) -> float:
        """Decisions per second of wall time."""
        return self.decisions / self.wall_seconds if self.wall_seconds else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return all measurements as JSON values; seconds are rounded to milliseconds."""
        known = {name: value for name, value in asdict(self).items() if value is not None}
        return known | {
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
        """Return one line per measurement."""
        waits = ", ".join(f"{kind} {each:.2f} s" for kind, each in self.admission_seconds.items())
        rows = [
            ("workloads", f"{self.workloads:,}, all finished"),
            ("wall", f"{self.wall_seconds:.2f} s"),
            ("cpu", f"{self.cpu_seconds:.2f} s"),
            ("decisions", f"{self.decisions:,} ({self.decisions_per_second:,.0f} per second)"),
            ("preemptions", f"{self.preemptions:,}"),
            ("makespan", f"{self.makespan_seconds:.2f} s of the trace's time"),
            ("quota use", f"{self.quota_use:.1%}"),
            ("mean time to admission", waits),
        ]
        if self.work_use is not None:
            rows.append(("quota use of runs", f"{self.work_use:.1%}"))
        if self.digest is not None:
            rows.append(("digest of the decisions", self.digest))
        return "\n".join(f"{name:<25}{value}" for name, value in rows)
