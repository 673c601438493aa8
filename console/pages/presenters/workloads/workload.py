"""Data of a workload's page: stages of the explanation, and actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from console.engine.explain import Sentence, StageText, Verdict
from console.engine.explain.titles import VERDICT_TITLES, stage_title
from console.engine.model.origin import Origin
from console.orgs.permissions import Actor, Permission
from console.workloads.advice import Advice
from console.workloads.explanations import Explained
from console.workloads.models import LIVE, State, Workload

#: Number of failed rules shown if no rule matched; the others are folded.
SHOWN_MISSES = 6
#: Maximum number of shown candidates that were not preempted; more are folded.
SHOWN_CANDIDATES = 3

RUNNING = frozenset({State.ADMITTED, State.PREEMPTING})


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a sentence; with *uid*, the name of this workload."""

    text: str
    uid: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One sentence with its verdict, and the config lines that caused it."""

    parts: tuple[Part, ...]
    verdict: str
    verdict_title: str
    origin: Origin | None
    #: (name, number) of the numbers in the sentence; amounts in thousandths.
    numbers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """
    One stage of the trace; *folded* facts are collapsed under *fold_title*.

    With *fold_in*, the id of a workload, *folded* is empty, and the page of the workload has them.
    """

    code: str
    title: str
    verdict: str
    verdict_title: str
    shown: tuple[Fact, ...]
    folded: tuple[Fact, ...]
    fold_title: str
    fold_in: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """An action that the reader may do with the workload, and its consequence."""

    do: str
    title: str
    consequence: str
    #: Whether the consequence is shown before the action, because running work would be lost.
    is_confirmed: bool = False


def stages_of(explained: Explained, fold_in: str = "") -> tuple[Stage, ...]:
    """
    Return the stages; rules without a match and long lists of candidates are folded.

    With *fold_in*, the id of the workload, they are only on its own page.
    """
    return tuple(_stage(stage, explained.names, fold_in) for stage in explained.explanation.stages)


def actions_of(actor: Actor, workload: Workload) -> tuple[Action, ...]:
    """Return the actions that *actor* may do with *workload* in its current state."""
    own = workload.submitted_by == actor.key
    if not (actor.may(Permission.MANAGE_WORK) or (own and actor.may(Permission.SUBMIT))):
        return ()
    actions = []
    if workload.state == State.PREEMPTING:
        actions.append(
            Action(
                do="release",
                title="Release",
                consequence="confirms that it has stopped; frees its quota and requeues it",
            )
        )
    is_running = workload.state in RUNNING
    if is_running:
        actions.append(
            Action(
                do="finish",
                title="Finish",
                consequence="records that it has ended by itself; frees its quota",
                is_confirmed=True,
            )
        )
    if workload.state in LIVE and workload.inactive is not None:
        actions.append(
            Action(do="activate", title="Activate", consequence="lets it have turns again")
        )
    elif workload.state in LIVE:
        stops = "stops it, and gives" if is_running else "gives"
        actions.append(
            Action(
                do="deactivate",
                title="Deactivate",
                consequence=f"{stops} it no turn until it is activated",
                is_confirmed=is_running,
            )
        )
    if workload.state in LIVE:
        actions.append(
            Action(
                do="withdraw",
                title="Withdraw",
                consequence=f"{'stops and ' if is_running else ''}ends it permanently",
                is_confirmed=is_running,
            )
        )
    return tuple(actions)


def changes_of(found: Advice) -> tuple[Fact, ...]:
    """Return the changes that would start the workload, with the config lines to change."""
    return facts_of((sentence for _, sentence in found.changes), found.names)


def facts_of(sentences: Iterable[Sentence], names: Mapping[str, str]) -> tuple[Fact, ...]:
    """Return the facts of *sentences*, with links to the workloads in *names* (by id)."""
    return tuple(_fact(sentence, names) for sentence in sentences)


def _stage(stage: StageText, names: Mapping[str, str], fold_in: str) -> Stage:
    shown, folded = _fold(stage)
    return Stage(
        code=stage.stage,
        title=stage_title(stage.stage),
        verdict=stage.verdict.value,
        verdict_title=VERDICT_TITLES[stage.verdict],
        shown=tuple(_fact(sentence, names) for sentence in shown),
        folded=() if fold_in else tuple(_fact(sentence, names) for sentence in folded),
        fold_title=_fold_title(stage.stage, len(folded)),
        fold_in=fold_in if folded else "",
    )


def _fact(sentence: Sentence, names: Mapping[str, str]) -> Fact:
    return Fact(
        parts=link_names(sentence.text, {uid: names.get(uid, uid) for uid in sentence.workloads}),
        verdict=sentence.verdict.value,
        verdict_title=VERDICT_TITLES[sentence.verdict],
        origin=sentence.origin,
        numbers=tuple((name, str(value)) for name, value in sentence.numbers.items()),
    )


def link_names(text: str, others: Mapping[str, str]) -> tuple[Part, ...]:
    """
    Split *text* at the names of *others* (by id); names that *text* does not contain follow it.

    >>> link_names("a stops for b.", {"7": "b"})
    (Part(text='a stops for ', uid=''), Part(text='b', uid='7'), Part(text='.', uid=''))
    """
    parts, after = [], []
    for uid, name in others.items():
        before, found, rest = text.partition(name)
        if not found:
            after += [Part(" "), Part(name, uid)]
            continue
        parts += [Part(before), Part(name, uid)] if before else [Part(name, uid)]
        text = rest
    return (*parts, Part(text), *after)


def _fold_title(stage: str, count: int) -> str:
    if stage == "preemption":
        return f"{count} running workload{'s' if count != 1 else ''} considered"
    return f"{count} other rule{'s' if count != 1 else ''} tried, none matched"


def _fold(stage: StageText) -> tuple[Sequence[Sentence], Sequence[Sentence]]:
    sentences = stage.sentences
    if stage.stage == "preemption" and len(sentences) > SHOWN_CANDIDATES + 1:
        kept = [s for s in sentences if s.verdict is not Verdict.SKIP]
        return kept, [s for s in sentences if s.verdict is Verdict.SKIP]
    if stage.stage != "route":
        return sentences, ()
    misses = [sentence for sentence in sentences if sentence.verdict is Verdict.FAIL]
    others = [sentence for sentence in sentences if sentence.verdict is not Verdict.FAIL]
    if others:
        return others, misses
    return misses[:SHOWN_MISSES], misses[SHOWN_MISSES:]
