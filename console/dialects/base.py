"""The interface of a dialect: its name, samples, and reader that turns a text into a Reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from console.dialects.codes import Code
from console.dialects.diagnostics import Diagnostic, Severity
from console.dialects.editable_numbers import NumberFields
from console.dialects.findings import Findings
from console.dialects.joined_files import JoinedFiles
from console.dialects.new_queues import NewQueues
from console.dialects.place_finder import PlaceFinder
from console.dialects.routed_history import RoutedHistory
from console.dialects.source import Source
from console.engine.counterfactual.change import SettingValues
from console.engine.diff import Comparison, Flows
from console.engine.diff.objects import PolicyObjects, Vocabulary
from console.engine.model.history import History, Live
from console.engine.model.inventory import Inventory
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy, Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSpec:
    """The spec of a queue in an earlier version, and the version that fixed it."""

    version: int
    spec: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """
    The result of reading a text.

    *policy* is set exactly if no diagnostic is an error. *queue_specs* maps a queue name to the
    canonical form (plain JSON values) of the fields that may not change for that name across
    versions.
    """

    diagnostics: tuple[Diagnostic, ...]
    policy: Policy | None = None
    queue_specs: Mapping[str, Mapping[str, Any]]
    #: The nodes and positions of the text; None if they are not available.
    source: Source | None = field(default=None, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether the text may be applied."""
        return self.policy is not None

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that prevent an apply."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPlace:
    """Where a manifest states a field of the submission."""

    #: Place in the document, as in diagnostics: metadata.labels.team
    path: str
    span: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterListing:
    """A cluster with its nodes, as the tools of a language print it."""

    #: A report as the API accepts it; its reader checks the values.
    report: dict[str, Any]
    #: Returns the place in the printed object of a path in the report.
    place: Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReading:
    """The result of reading a text that describes one workload in the form of a language."""

    diagnostics: tuple[Diagnostic, ...]
    #: The fields of its submission as JSON values; None if a diagnostic is an error. User and
    #: groups are ignored: they are those of the submitter, whatever the text states.
    job: Mapping[str, Any] | None = None
    #: Field of the submission, such as ``tags.team`` or ``pod_sets[0].count`` -> its place in the
    #: text; fields with a default have none.
    places: Mapping[str, FieldPlace] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the workload may be submitted."""
        return self.job is not None


class JobReader(Protocol):
    """Reads a text that describes one workload in a form of its language; never raises."""

    def __call__(self, text: str | bytes, policy: Policy | None = None) -> JobReading:
        """
        Return the reading of *text*.

        *policy* is a policy of the language: a reference to an object that it does not have is an
        error. With None, references are not checked.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientForm:
    """The conversion of documents to and from the JSON values of the public anyscale client."""

    #: A text without errors -> the document.
    read: Callable[[str], dict[str, Any]]
    #: Any JSON value -> a readable text, the same for equal documents. Errors of the document are
    #: found by reading the text. Raises ValueError if the document is too large.
    write: Callable[[Any], str]


class DisciplineLints(Protocol):
    """The lints of one policy that depend on its discipline, besides those of all languages."""

    def lint_policy(self, places: PlaceFinder, findings: Findings) -> None:
        """Report problems of the policy alone."""

    def lint_past(self, past: RoutedHistory, places: PlaceFinder, findings: Findings) -> None:
        """Report problems with recorded workloads; there is at least one."""

    def lint_live(self, live: Live, places: PlaceFinder, findings: Findings) -> None:
        """Report problems with live workloads."""

    def lint_inventory(self, inventory: Inventory, places: PlaceFinder, findings: Findings) -> None:
        """Report problems with the clusters that report now; *inventory* has them without nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One config language."""

    name: str
    title: str
    #: The spec of an empty config; it names the discipline.
    empty_spec: Spec
    #: (text, past queue specs by name) -> Reading. Never raises. Deterministic: equal arguments
    #: give equal readings, and past specs equal to those of the text make no difference.
    read: Callable[[str | bytes, Mapping[str, PastSpec]], Reading]
    #: Whether a text looks like this language: fast, and not reliable.
    recognizes: Callable[[str], bool]
    #: The codes of the dialect, which share a prefix of three letters.
    codes: tuple[Code, ...]
    #: One sentence about its codes, for the catalogue.
    about_codes: str
    #: JSON Schema of a document, for editors.
    schema: Callable[[], dict[str, Any]]
    #: Title -> text of a document without errors: the examples of the editor.
    samples: Callable[[], Mapping[str, str]]
    #: Policy -> its objects in this language, for differences, merges and outlines.
    objects: Callable[[Policy], PolicyObjects]
    #: Its words for the kinds of objects.
    vocabulary: Vocabulary
    #: The name of the document in `docs/` that describes its configs; empty: there is none.
    reference: str = ""
    #: (older policy, newer policy, their comparison, history) -> the workloads that move to
    #: another object; None if workloads name their destination themselves.
    flows: Callable[[Policy, Policy, Comparison, History | None], Flows] | None = None
    #: Policy -> the lints of its discipline; None if there are none.
    lints: Callable[[Policy], DisciplineLints] | None = None
    #: Own code -> the code of the general lint that reports the same problem; of two such
    #: findings about one object, one is shown.
    equivalent_lints: Mapping[str, str] = field(default_factory=dict)
    #: Whether it is the language of a text whose language is not stated.
    is_default: bool = False
    #: Several files as one config -> Reading; None if a config is one document.
    read_joined: Callable[[JoinedFiles], Reading] | None = None
    #: A text that was applied -> Reading, although something that it refers to is not installed
    #: now; None if texts refer to nothing of the kind, so that `read` suffices.
    read_applied: Callable[[str], Reading] | None = None
    #: The reader of manifests: workloads in a form of its own. None if the language has none.
    read_job: JobReader | None = None
    #: A manifest without findings, as an example; empty if the language has none.
    job_sample: str = ""
    #: Parsed documents of a file -> the clusters that the language's own tools print there, by
    #: name; None: its tools print none.
    listed_clusters: Callable[[Sequence[Any]], Mapping[str, ClusterListing]] | None = None
    #: The clusters without their nodes -> the same schema with suggestions from them; None: the
    #: language has none.
    live_schema: Callable[[Inventory], dict[str, Any]] | None = None
    #: Settings that advice may suggest to change, with their values; None: all of the discipline.
    setting_values: SettingValues | None = None
    #: The numbers of its objects that a form may change; None: there is no such form.
    number_fields: NumberFields | None = None
    #: How a form adds a queue; None: there is no such form. It needs `number_fields`.
    new_queues: NewQueues | None = None
    #: The kind of its objects that are tried in order and that a form may move; empty: none.
    movable_kind: str = ""
    #: Its form in the protocol of the public client, which one language has; else None.
    client_form: ClientForm | None = None

    @property
    def discipline(self) -> str:
        """The name of the discipline of its policies."""
        return self.empty_spec.discipline

    @property
    def empty_policy(self) -> Policy:
        """The policy of an organization without a config."""
        return Policy(dialect=self.name, spec=self.empty_spec)

    def read_objects(self, text: str | bytes, past: Mapping[str, PastSpec]) -> PolicyObjects | None:
        """Return the objects in *text*; None if the text has errors."""
        policy = self.read(text, past).policy
        return None if policy is None else self.objects(policy)
