"""What the discipline derives from a state and keeps between cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from console.engine.disciplines.placement.index import CapacityIndex
from console.engine.disciplines.placement.nominate import Placer
from console.engine.disciplines.placement.replacements import Replacements
from console.engine.disciplines.placement.spec import placement_of

if TYPE_CHECKING:
    from console.engine.state import State


class Derived(NamedTuple):
    """The placer of a state, and the replacements of its running jobs."""

    placer: Placer
    replacements: Replacements


def placer_of(state: State) -> Placer:
    """Return the placer of *state*, up to date with the usage of its nodes."""
    return derived_of(state).placer


def derived_of(state: State) -> Derived:
    """Return what is derived from *state*, up to date with the usage of its nodes."""
    touched = state.node_usage.take_touched()
    derived = cast(Derived | None, state.derived)
    if derived is not None:
        derived.placer.index.touch(touched)
        return derived
    spec = placement_of(state.policy)
    index = CapacityIndex(spec, state.inventory, state.node_usage)
    replacements = Replacements(state.policy)
    replacements.note_losses(state)
    derived = state.derived = Derived(Placer(spec, index), replacements)
    return derived
