"""
Config versions, what each changed, and which one is active.

They belong to the app `configs`, whose migrations create their tables. They are defined here, below
both `configs` and `workloads`, because the engine reads its policy from them.
"""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class ConfigVersion(models.Model):
    """One immutable text of an organization's scheduler config; never edited, never deleted."""

    class Kind(models.TextChoices):
        """How the version came to be."""

        APPLY = "apply"
        ROLLBACK = "rollback"

    class Via(models.TextChoices):
        """What its author used."""

        PAGE = "page"
        API = "api"
        #: The public client's protocol, which sends no expected version.
        CLIENT = "client"
        #: The version before it was not confirmed in time.
        TIMER = "timer"

    org = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    dialect = models.CharField(max_length=20)
    text = models.TextField()
    message = models.CharField(max_length=500, blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.APPLY)
    #: The version whose text a rollback took.
    rolled_back_to = models.PositiveIntegerField(null=True)
    #: Who applied it: the e-mail address of a person or the name of a token, kept as text.
    author = models.CharField(max_length=254)
    via = models.CharField(max_length=10, choices=Via.choices, default=Via.API)
    #: What followed from it when it was applied: [{"code", "message", "accepted"}].
    consequences = models.JSONField(default=list)
    #: What happened to work in the day after it, written once that day is over; None until then.
    effect = models.JSONField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "configs"
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["org", "number"], name="one_version_per_number")
        ]
        # Texts are large, and a search for versions does not have to read past them.
        indexes = [
            models.Index(fields=["org", "author", "-number"], name="version_by_author"),
            models.Index(fields=["org", "kind", "via", "-number"], name="version_by_kind"),
            models.Index(
                fields=["created_at"],
                condition=models.Q(effect__isnull=True),
                name="version_without_effect",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.org} v{self.number}"


class ActiveConfig(models.Model):
    """Which version of an organization is active: a pointer, so that active need not be newest."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="active_config"
    )
    #: 0 before the first apply.
    number = models.PositiveIntegerField(default=0)
    #: When it, or the timer that may take it back, last changed: pages compare it.
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        app_label = "configs"

    def __str__(self) -> str:
        return f"{self.org} at v{self.number}"


class VersionChange(models.Model):
    """One object of the config that a version changed, against the version active before it."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="version_changes")
    version = models.PositiveIntegerField()
    #: As `console.engine.diff` has them.
    kind = models.CharField(max_length=12)
    noun = models.CharField(max_length=20)
    #: That of a rule is its place and its queue, so it may be longer than a name.
    name = models.CharField(max_length=520)
    #: Its name before, where that was another one.
    old_name = models.CharField(max_length=520, blank=True)
    #: What differs, as `console.configs.stored_changes` writes it.
    details = models.JSONField(default=list)

    class Meta:
        app_label = "configs"
        ordering = ["id"]
        indexes = [
            models.Index(fields=["org", "version"], name="change_by_version"),
            models.Index(fields=["org", "noun", "name", "-version"], name="change_by_object"),
            models.Index(fields=["org", "noun", "old_name", "-version"], name="change_by_old_name"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.noun} {self.name} in v{self.version}"
