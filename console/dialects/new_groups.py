"""Resource groups of a new queue, from the numbers of a form: as few as its flavors allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from console.dialects.editable_numbers import NumberKey
from console.dialects.new_queues import NumberField
from console.dialects.yaml_items import OnOneLine, Verbatim

_NONE: Final = Verbatim("0")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupWords:
    """The names of fields of resource groups in a language."""

    groups: str
    covered: str
    nominal: str
    borrowing: str
    lending: str

    def numbers(self, flavors: Iterable[str], resources: Sequence[str]) -> tuple[NumberField, ...]:
        """Return the numbers of every resource in every flavor."""
        return tuple(
            NumberField(NumberKey(field, flavor, resource), title)
            for flavor in flavors
            for resource in resources
            for field, title in (
                (self.nominal, "Nominal quota"),
                (self.borrowing, "Borrowing limit"),
                (self.lending, "Lending limit"),
            )
        )

    def fields(self, numbers: Mapping[NumberKey, Verbatim]) -> dict[str, Any]:
        """
        Return the field with the resource groups of *numbers*; nothing without numbers.

        Flavors that share a resource share a group, and each states all resources of its group: 0
        for those that *numbers* does not have.
        """
        flavors: dict[str, dict[str, dict[str, Verbatim]]] = {}
        order: dict[str, None] = {}
        for key, number in numbers.items():
            own = flavors.setdefault(key.flavor, {}).setdefault(key.resource, {})
            own[key.field] = number
            order[key.resource] = None
        groups = [
            self._group([each for each in order if each in covered], names, flavors)
            for covered, names in _joined(flavors)
        ]
        return {self.groups: groups} if groups else {}

    def _group(
        self,
        covered: list[str],
        names: Iterable[str],
        flavors: Mapping[str, Mapping[str, Mapping[str, Verbatim]]],
    ) -> dict[str, Any]:
        return {
            self.covered: covered,
            "flavors": [
                {
                    "name": name,
                    "resources": [
                        OnOneLine(self._resource(each, flavors[name].get(each, {})))
                        for each in covered
                    ],
                }
                for name in names
            ],
        }

    def _resource(self, name: str, numbers: Mapping[str, Verbatim]) -> dict[str, Any]:
        limits = {
            field: numbers[field] for field in (self.borrowing, self.lending) if field in numbers
        }
        return {"name": name, self.nominal: numbers.get(self.nominal, _NONE), **limits}


def _joined(flavors: Mapping[str, Iterable[str]]) -> list[tuple[set[str], list[str]]]:
    """Return sets of resources with their flavors; no two sets have a resource in common."""
    found: list[tuple[set[str], list[str]]] = []
    for name, resources in flavors.items():
        covered, names = set(resources), [name]
        apart = []
        for others, before in found:
            if covered.isdisjoint(others):
                apart.append((others, before))
            else:
                covered, names = others | covered, [*before, *names]
        found = [*apart, (covered, names)]
    return found
