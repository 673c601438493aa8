"""Engine stub that returns the expectation of a conformance case, as values of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from console.dialects.kueue.conformance.answers import (
    Action,
    Attempt,
    Condition,
    CycleAnswer,
    FlavorAnswer,
    FlavorReason,
    HeadCode,
    HeadVerdict,
    Mode,
    PodSetAnswer,
    QuotaAnswer,
    ReasonCode,
    ResourceFlavor,
    SettleAnswer,
    SettleDecision,
    Share,
    SharesAnswer,
    VictimReason,
    VictimsAnswer,
)
from console.dialects.kueue.conformance.engine_under_test import Nominated, PreemptionStub
from console.dialects.kueue.conformance.workloads import PendingWorkload
from console.dialects.kueue.conformance.world import World
from console.dialects.quantity import amount_of
from console.engine.model.amounts import Amount
from console.engine.model.decision import Assignment, PodSetAssignment
from console.engine.model.nodes import Taint, TaintEffect

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Echo:
    """Answers every call with one expectation, whatever the world is."""

    expect: Json

    def settle(self, world: World) -> SettleAnswer:
        return SettleAnswer(
            admitted=_admitted(self.expect["admitted"]),
            pending={name: Condition(word) for name, word in self.expect["pending"].items()},
            decisions=tuple(
                SettleDecision(
                    cycle=each["cycle"],
                    action=Action(each["action"]),
                    workload=each["workload"],
                    victims=_victims(each.get("victims", {})),
                )
                for each in self.expect["decisions"]
            ),
            is_steady=self.expect.get("steady", True),
            did_resync_change=self.expect.get("resync_changed"),
        )

    def cycle(self, world: World) -> CycleAnswer:
        expect = self.expect
        return CycleAnswer(
            admitted=_admitted(expect["admitted"]),
            preempted=_victims(expect["preempted"]),
            requeued=frozenset(expect["requeued"]),
            inadmissible=frozenset(expect["inadmissible"]),
            messages={name: _verdict(each) for name, each in expect["messages"].items()},
            skipped_preemptions=expect.get("skipped_preemptions", {}),
        )

    def assign(self, world: World, head: PendingWorkload, stub: PreemptionStub) -> FlavorAnswer:
        reason = self.expect["no_fit_reason"]
        return FlavorAnswer(
            mode=Mode(self.expect["mode"]),
            borrowing=self.expect["borrowing"],
            pod_sets=tuple(_pod_set(each) for each in self.expect["pod_sets"]),
            usage={name: _amounts(each) for name, each in self.expect["usage"].items()},
            no_fit_reason=Condition(reason) if reason else None,
        )

    def targets(
        self,
        world: World,
        preemptor: PendingWorkload,
        nominated: Mapping[str, Mapping[str, Nominated]],
    ) -> VictimsAnswer:
        victims = _victims(self.expect["victims"])
        return VictimsAnswer(victims=victims, count=self.expect.get("count", len(victims)))

    def quota(self, world: World) -> QuotaAnswer:
        potential, available = (
            {
                queue: {flavor: _amounts(each) for flavor, each in flavors.items()}
                for queue, flavors in self.expect.get(what, {}).items()
            }
            for what in ("potential", "available")
        )
        return QuotaAnswer(potential=potential, available=available)

    def shares(self, world: World, extra_usage: Mapping[str, Mapping[str, int]]) -> SharesAnswer:
        queues, cohorts = (
            {name: Share(**_renamed(each)) for name, each in self.expect[what].items()}
            for what in ("cluster_queues", "cohorts")
        )
        return SharesAnswer(cluster_queues=queues, cohorts=cohorts)


def _renamed(share: Json) -> dict[str, Any]:
    values = dict(share)
    return {"is_borrowing": values.pop("borrowing"), **values}


def _victims(expect: Mapping[str, str]) -> dict[str, VictimReason]:
    return {name: VictimReason(word) for name, word in expect.items()}


def _admitted(expect: Json) -> dict[str, Assignment]:
    return {
        name: tuple(
            PodSetAssignment(name=each["pod_set"], count=each["count"], flavors=each["flavors"])
            for each in pod_sets
        )
        for name, pod_sets in expect.items()
    }


def _verdict(expect: Json) -> HeadVerdict:
    return HeadVerdict(
        reason=Condition(expect["reason"]),
        code=HeadCode(expect.get("code", "NoRoom")),
        victims=expect.get("victims"),
        pod_sets={name: _reasons(each) for name, each in expect.get("pod_sets", {}).items()},
    )


def _pod_set(expect: Json) -> PodSetAnswer:
    return PodSetAnswer(
        name=expect["name"],
        count=expect["count"],
        flavors={
            resource: ResourceFlavor(
                flavor=given["flavor"], mode=Mode(given["mode"]), tried=given["tried"]
            )
            for resource, given in expect["flavors"].items()
        },
        requests=_amounts(expect["requests"]),
        reasons=_reasons(expect["reasons"]),
        attempts={
            flavor: Attempt(
                outcome=Mode(each["outcome"]),
                level=each["level"],
                why=Condition(each["why"]) if each["why"] else None,
            )
            for flavor, each in expect.get("attempts", {}).items()
        },
    )


def _reasons(expect: list[Json]) -> tuple[FlavorReason, ...]:
    return tuple(_reason(each) for each in reversed(expect))


def _reason(expect: Json) -> FlavorReason:
    values = dict(expect)
    code, taint = ReasonCode(values.pop("code")), values.pop("taint", None)
    if taint is not None:
        effect = TaintEffect(taint["effect"])
        values["taint"] = Taint(key=taint["key"], value=taint["value"], effect=effect)
    for name in ("missing", "assumed", "requested", "capacity"):
        if name in values:
            values[name] = amount_of(values[name], values["resource"])
    return FlavorReason(code=code, **values)


def _amounts(expect: Mapping[str, str]) -> dict[str, Amount]:
    return {resource: amount_of(text, resource) for resource, text in expect.items()}
