"""What a dialect is: a name, samples, and a reader that turns any text into a reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from console.dialects.codes import Code
from console.dialects.diagnostics import Diagnostic, Severity
from console.dialects.findings import Findings
from console.dialects.joined import Joined
from console.dialects.past import Past
from console.dialects.source import Source
from console.dialects.spots import Spots
from console.engine.counterfactual.change import Menu
from console.engine.diff import Comparison, Flows
from console.engine.diff.objects import PolicyObjects, Vocabulary
from console.engine.model.history import History, Live
from console.engine.model.policy import Policy, Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSpec:
    """The spec of a queue that was active once, and the version that fixed it."""

    version: int
    spec: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """
    What came of reading a text.

    *policy* is there exactly when no diagnostic is an error. *queue_specs* holds,
    by queue name, the canonical form (plain JSON values) of what may not change
    for that name across versions.
    """

    diagnostics: tuple[Diagnostic, ...]
    policy: Policy | None = None
    queue_specs: Mapping[str, Mapping[str, Any]]
    #: Positions of the parts of the text; None if they were not kept.
    source: Source | None = field(default=None, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether the text may be applied."""
        return self.policy is not None

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that stop an apply."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientForm:
    """A language's documents as plain JSON values, as the public anyscale client exchanges them."""

    #: A text without errors -> the document.
    read: Callable[[str], dict[str, Any]]
    #: Any JSON value -> a text for people, the same for the same document. What is wrong with the
    #: document is found by reading the text. Raises ValueError when there is too much of it.
    write: Callable[[Any], str]


class DisciplineLints(Protocol):
    """The lints of one policy that only its discipline can tell, beside those of all languages."""

    def lint_policy(self, spots: Spots, findings: Findings) -> None:
        """Judge the policy alone."""

    def lint_past(self, past: Past, spots: Spots, findings: Findings) -> None:
        """Judge it by recorded workloads; there are some."""

    def lint_live(self, live: Live, spots: Spots, findings: Findings) -> None:
        """Judge it by what runs now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One config language."""

    name: str
    title: str
    #: The spec of a config that says nothing; it names the discipline that admits.
    empty_spec: Spec
    #: (text, past queue specs by name) -> Reading. Never raises, whatever the text. Always the
    #: same for the same; a past that the text's own specs keep to makes no difference.
    read: Callable[[str | bytes, Mapping[str, PastSpec]], Reading]
    #: Whether a text has the look of this language: cheap, and no promise.
    recognizes: Callable[[str], bool]
    #: Codes of its own, which share a prefix of three letters.
    codes: tuple[Code, ...]
    #: What its codes are about, in one sentence, for the catalogue.
    about_codes: str
    #: JSON Schema of a document, for editors.
    schema: Callable[[], dict[str, Any]]
    #: Title -> text of documents that compile: the editor's examples.
    samples: Callable[[], Mapping[str, str]]
    #: The objects of a policy in this language, which differences, merges and outlines walk.
    objects: Callable[[Policy], PolicyObjects]
    #: What it calls the kinds of its objects.
    vocabulary: Vocabulary
    #: (older policy, newer policy, their comparison, history) -> which workloads another object
    #: takes; None where workloads say themselves where they go.
    flows: Callable[[Policy, Policy, Comparison, History | None], Flows] | None = None
    #: Makes the lints of the discipline that its policies name; None: there are none.
    lints: Callable[[Policy], DisciplineLints] | None = None
    #: Own codes whose findings a lint of all languages repeats, and the code of that lint: of
    #: one place it is said once.
    said_by_lints: Mapping[str, str] = field(default_factory=dict)
    #: Whether it is the language of a text that does not say which one it is in.
    is_default: bool = False
    #: Several files as one config -> Reading; None when a config is one document.
    read_joined: Callable[[Joined], Reading] | None = None
    #: Settings that advice may suggest to change, with their values; None: all of its discipline.
    menu: Menu | None = None
    #: How the public client's protocol carries it; None when it does not. One language has it.
    client_form: ClientForm | None = None

    @property
    def discipline(self) -> str:
        """The name of the discipline that admits by its policies."""
        return self.empty_spec.discipline

    @property
    def empty_policy(self) -> Policy:
        """The policy of an organization without a config."""
        return Policy(dialect=self.name, spec=self.empty_spec)

    def read_objects(self, text: str | bytes, past: Mapping[str, PastSpec]) -> PolicyObjects | None:
        """Return the objects that *text* describes; None when it has errors."""
        policy = self.read(text, past).policy
        return None if policy is None else self.objects(policy)
