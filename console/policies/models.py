"""
Models of config versions, their changes, and the active version.

They belong to the app `configs`, whose migrations create their tables. They are defined here,
below both `configs` and `workloads`, because the engine reads its policy from them.
"""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class ConfigVersion(models.Model):
    """One applied config text; never deleted, and never edited except for its measured effect."""

    class Kind(models.TextChoices):
        """The kind of apply that created the version."""

        APPLY = "apply"
        ROLLBACK = "rollback"

    class Via(models.TextChoices):
        """The interface that the author used."""

        PAGE = "page"
        API = "api"
        #: The protocol of the public client, which sends no expected version.
        CLIENT = "client"
        #: A rollback, because the previous version was not confirmed in time.
        TIMER = "timer"
        #: A scheduled change, at its time or made early.
        SCHEDULE = "schedule"

    org = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    dialect = models.CharField(max_length=20)
    text = models.TextField()
    message = models.CharField(max_length=500, blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.APPLY)
    #: The version whose text a rollback restored.
    rolled_back_to = models.PositiveIntegerField(null=True)
    #: The author: the e-mail address of a person or the name of a token, stored as text.
    author = models.CharField(max_length=254)
    via = models.CharField(max_length=10, choices=Via.choices, default=Via.API)
    #: Consequences of the apply: [{"code", "message", "accepted"}].
    consequences = models.JSONField(default=list)
    #: Effect on workloads in the 24 hours after the apply; None until they have passed.
    effect = models.JSONField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "configs"
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["org", "number"], name="one_version_per_number")
        ]
        # Texts are large, and a search of versions must not read them.
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
    """The active version of an organization, which does not have to be the newest."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="active_config"
    )
    #: 0 before the first apply.
    number = models.PositiveIntegerField(default=0)
    #: Last change of the version or of its revert timer; pages compare it.
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        app_label = "configs"

    def __str__(self) -> str:
        return f"{self.org} at v{self.number}"


class VersionChange(models.Model):
    """One object of the config that differs from the version active before."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="version_changes")
    version = models.PositiveIntegerField()
    #: Kinds of `console.engine.diff`.
    kind = models.CharField(max_length=12)
    noun = models.CharField(max_length=20)
    #: The name of a rule consists of its place and its queue, so it can be longer than other names.
    name = models.CharField(max_length=520)
    #: Its previous name, if it was renamed.
    old_name = models.CharField(max_length=520, blank=True)
    #: The differences, in the form of `console.configs.stored_changes`.
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
