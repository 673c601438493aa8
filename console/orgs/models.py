"""Models of organizations, people, tokens, sessions and audit entries."""

from __future__ import annotations

import secrets
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from console.orgs.time_zones import DEFAULT_ZONE


def new_uid() -> str:
    """Return a new random name."""
    return secrets.token_hex(16)


class UserManager(BaseUserManager["User"]):
    """Manager that creates and finds accounts by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Create an account; without *password*, password sign-in is not possible."""
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        """Find the account of an address that is valid in every organization, ignoring case."""
        return self.with_address(username).exclude(proof=Proof.INVITATION).get()

    def with_address(self, email: str | None) -> models.QuerySet[User]:
        """Return the accounts of an address, ignoring case; see `User`."""
        # The expression of the index; `iexact` uses LIKE, which fails on long texts.
        return self.alias(folded=Lower("email")).filter(folded=Lower(models.Value(email)))


class Proof(models.TextChoices):
    """The proof that an account belongs to the person with its e-mail address."""

    #: Its password was set on the command line, or its owner was confirmed there.
    OPERATOR = "operator"
    #: The sign-in provider verified the address.
    PROVIDER = "provider"
    #: Its password was chosen through the link of one organization's invitation.
    INVITATION = "invitation"
    #: An older version, which did not record the proof, created the account.
    UNKNOWN = "unknown"


class DateOrder(models.TextChoices):
    """The order of the parts of a date."""

    ISO = "iso"
    DAY_FIRST = "dmy"
    MONTH_FIRST = "mdy"


class Clock(models.TextChoices):
    """The number of hours that a clock counts."""

    HOURS_24 = "24"
    HOURS_12 = "12"


class Grouping(models.TextChoices):
    """The separator of groups of thousands in a count."""

    THIN = "thin"
    COMMA = "comma"
    POINT = "point"
    NONE = "none"


class User(AbstractUser):
    """
    An account, identified by its e-mail address.

    An address has at most one account that is valid in every organization. An owner who invites an
    address knows the link and can choose the password of the new account. So an account that was
    created by an invitation is valid only in the organization of the invitation, and an address
    can have several such accounts, isolated from one another.
    """

    username = None  # type: ignore[assignment]
    email = models.EmailField("e-mail address")
    proof = models.CharField(
        max_length=10, choices=Proof.choices, default=Proof.UNKNOWN, db_default=Proof.UNKNOWN
    )
    #: The organization of the invitation; only with `Proof.INVITATION`.
    proven_in = models.ForeignKey(
        "Organization", null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    #: The formats of times and counts on pages; the zone is an IANA name.
    time_zone = models.CharField(max_length=64, default=DEFAULT_ZONE, db_default=DEFAULT_ZONE)
    date_order = models.CharField(
        max_length=3, choices=DateOrder.choices, default=DateOrder.ISO, db_default=DateOrder.ISO
    )
    clock = models.CharField(
        max_length=2, choices=Clock.choices, default=Clock.HOURS_24, db_default=Clock.HOURS_24
    )
    grouping = models.CharField(
        max_length=5, choices=Grouping.choices, default=Grouping.THIN, db_default=Grouping.THIN
    )

    #: Whether it may create organizations in the browser: see `console.orgs.org_creation`.
    can_create_orgs = models.BooleanField(default=False, db_default=False)
    #: When its owner opened the link of a confirmation e-mail, or the sign-in provider verified the
    #: address; None before. Notifications are sent to confirmed addresses only.
    address_confirmed_at = models.DateTimeField(null=True)
    #: The last confirmation e-mail, and the number of them since the address was last confirmed.
    confirmation_sent_at = models.DateTimeField(null=True)
    confirmations_sent = models.IntegerField(default=0, db_default=0)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                condition=~models.Q(proof="invitation"),
                name="one_proven_account_per_address",
            )
        ]
        indexes = [models.Index(Lower("email"), name="account_by_address")]

    def __str__(self) -> str:
        return self.email


class Role(models.TextChoices):
    """The role of a member or token; see `console.orgs.permissions`."""

    VIEWER = "viewer"
    SUBMITTER = "submitter"
    OPERATOR = "operator"
    EDITOR = "editor"
    OWNER = "owner"


class Organization(models.Model):
    """A tenant: one scheduler config, its workloads and its people."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    #: The person who created it in the browser; None for commands. Such organizations are limited:
    #: see `console.orgs.org_creation`.
    created_by = models.ForeignKey(
        User, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    #: Whether another member has to approve a config before it is applied.
    approval_required = models.BooleanField(default=False, db_default=False)
    #: Only in a demo: the time before which its history is simulated, down to every row.
    simulated_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.slug


class Membership(models.Model):
    """A person's role in an organization."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role.choices)
    #: The user and groups of workloads that the member submits without stating others; "" is the
    #: address. See `console.orgs.identities`.
    user_name = models.CharField(max_length=200, blank=True, default="", db_default="")
    groups = models.JSONField(default=list, db_default=[])
    joined_at = models.DateTimeField(default=timezone.now)
    #: Time of the last page view or API request, written at most every few minutes.
    last_active_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "user"], name="one_membership_per_person")
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.org}"


class Invitation(models.Model):
    """A link to join, for one address; only the SHA-256 of its secret is stored."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField("e-mail address")
    role = models.CharField(max_length=12, choices=Role.choices)
    digest = models.CharField(max_length=64, unique=True)
    #: The inviting person, who may have used a token; None for commands and rows of old versions.
    created_by = models.ForeignKey(
        User, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    #: The actor's name at that time, as in audit entries.
    author = models.CharField(max_length=254)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                models.F("org"),
                Lower("email"),
                condition=models.Q(accepted_at=None, revoked_at=None),
                name="one_open_invitation_per_address",
            )
        ]
        indexes = [
            # Of one address in all organizations, for the list of invitations at sign-in.
            models.Index(
                Lower("email"),
                condition=models.Q(accepted_at=None, revoked_at=None),
                name="open_invitation_by_address",
            )
        ]

    def __str__(self) -> str:
        return f"{self.email} as {self.role} of {self.org}"


class ApiToken(models.Model):
    """An API token of one organization with one role; only the SHA-256 of its secret is stored."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    role = models.CharField(max_length=12, choices=Role.choices)
    #: The user and groups of workloads that it submits without stating others; "" is no user. See
    #: `console.orgs.identities`.
    user_name = models.CharField(max_length=200, blank=True, default="", db_default="")
    groups = models.JSONField(default=list, db_default=[])
    #: The first characters of the secret, to recognize it in lists.
    prefix = models.CharField(max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    #: The person to whom it belongs: its creator, or the owner of the token that created it; None
    #: for commands. It never grants more than the person's role:
    #: `console.orgs.services.end_tokens`.
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL)
    #: Name of the creator at that time, as in audit entries.
    author = models.CharField(max_length=254)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    #: The token that replaces it after a rotation.
    successor = models.ForeignKey("self", null=True, on_delete=models.SET_NULL)
    #: Its last use, as `console.caller.Caller`: written at most once a minute, so that traffic
    #: does not become writes.
    last_used_at = models.DateTimeField(null=True)
    last_used_ip = models.CharField(max_length=45, blank=True)
    last_used_agent = models.CharField(max_length=300, blank=True)

    class Meta:
        indexes = [models.Index(fields=["org", "-id"], name="token_newest")]

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.role} of {self.org})"


class BrowserSession(models.Model):
    """A browser session, with or without a signed-in person."""

    #: Digest of the key in the cookie, so that a reader of this row cannot use the session.
    digest = models.CharField(max_length=64, primary_key=True)
    session_data = models.TextField()
    expire_date = models.DateTimeField(db_index=True)
    #: Identifies the session on pages.
    uid = models.CharField(max_length=32, unique=True, default=new_uid)
    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="sessions")
    created_at = models.DateTimeField(default=timezone.now)
    #: Its last request, as `console.caller.Caller`; written at most once a minute.
    last_seen_at = models.DateTimeField(default=timezone.now)
    ip = models.CharField(max_length=45, blank=True)
    agent = models.CharField(max_length=300, blank=True)

    def __str__(self) -> str:
        return f"{self.uid} of {self.user}"

    def save(self, *, force_update: bool = False, **options: Any) -> None:
        """Write the row; later writes do not change when and where the session began."""
        if force_update:
            options["update_fields"] = ("session_data", "expire_date", "user")
        super().save(force_update=force_update, **options)


class AuditEntry(models.Model):
    """
    One action of a person or token, written once by `console.orgs.audit`.

    *number* and *digest* are set once, when the entry is sealed into the chain of its
    organization; see `console.orgs.chain`.
    """

    # No index of its own, because all indexes below begin with org.
    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="audit", db_index=False
    )
    #: One of `console.orgs.audit.ACTIONS`.
    action = models.CharField(max_length=40)
    #: One of `console.orgs.audit.KINDS`, and the name of the object.
    kind = models.CharField(max_length=20)
    subject = models.CharField(max_length=500)
    #: E-mail address of a person or name of a token, and "user:7" or "token:3".
    actor = models.CharField(max_length=254)
    actor_key = models.CharField(max_length=40)
    #: Values before and after the action; None if there are none.
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    #: As `console.caller.Caller`; empty for commands.
    ip = models.CharField(max_length=45, blank=True)
    agent = models.CharField(max_length=300, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    #: Its position in the chain, from 1 without gaps; None until it is sealed.
    number = models.BigIntegerField(null=True)
    digest = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["org", "number"], name="one_audit_entry_per_number")
        ]
        indexes = [
            models.Index(fields=["org", "-id"], name="audit_newest"),
            models.Index(fields=["org", "action", "-id"], name="audit_by_action"),
            models.Index(fields=["org", "actor", "-id"], name="audit_by_name"),
            models.Index(fields=["org", "actor_key", "-id"], name="audit_by_actor"),
            models.Index(fields=["org", "subject", "-id"], name="audit_by_subject"),
            models.Index(fields=["org", "ip", "-id"], name="audit_by_address"),
            models.Index(fields=["org", "request_id", "-id"], name="audit_by_request"),
            models.Index(
                fields=["org", "id"], condition=models.Q(number=None), name="audit_unsealed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.actor}: {self.action} {self.subject}"


class AuditChain(models.Model):
    """First and last entry of the audit chain of an organization."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="audit_chain"
    )
    #: Number and digest of the newest sealed entry; 0 and empty before the first.
    number = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True)
    #: Number and digest of the newest deleted entry.
    base_number = models.BigIntegerField(default=0)
    base_digest = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"{self.org} up to {self.number}"
