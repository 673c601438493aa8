"""Sign-in through a provider: the whole flow against a running product, and forged answers."""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import rsa

from console.csp import POLICY
from tests.oidc import provider as fake
from tests.oidc.provider import Provider
from tests.product import Product, running

OWNER = "owner@here.example"
VERIFIED = {"email_verified": True}

NO_ACCOUNT = (
    "There is no account for nobody@here.example here. Ask an owner of an organization for an "
    "invitation, open its link, and sign in from there."
)
FAILED = "Sign-in with Corner ID failed."


@dataclass
class Site:
    """A running product with a configured provider."""

    product: Product
    provider: Provider

    @property
    def base(self) -> str:
        """The base URL of the product."""
        return f"http://127.0.0.1:{self.product.port}"

    def browser(self) -> requests.Session:
        """Return an HTTP client that follows no redirects."""
        return requests.Session()

    def get(self, browser: requests.Session, path: str) -> requests.Response:
        """Return the answer of the product to a GET."""
        url = path if path.startswith("http") else self.base + path
        answer = browser.get(url, allow_redirects=False, timeout=30)
        policy = "; ".join(f"{name} {value}" for name, value in POLICY.items())
        assert answer.headers["Content-Security-Policy"] == policy
        return answer

    def to_provider(self, browser: requests.Session, to: str = "/o/") -> str:
        """Start to sign in, and return the URL to which the provider redirects the browser."""
        answer = self.get(browser, f"/login/oidc?next={to}")
        assert answer.status_code == 302, answer.text
        location = answer.headers["Location"]
        assert location.startswith(f"{self.provider.issuer}/authorize?")
        agreed = requests.get(location, allow_redirects=False, timeout=30)
        return agreed.headers["Location"]

    def sign_in(self, browser: requests.Session, to: str = "/o/") -> str:
        """Sign in, and return the path to which the product redirects the browser."""
        answer = self.get(browser, self.to_provider(browser, to))
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]

    def send(self, browser: requests.Session, path: str, **fields: str) -> requests.Response:
        """Submit the form of a page."""
        page = self.get(browser, path).text
        (token, *_) = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        return browser.post(
            self.base + path,
            {"csrfmiddlewaretoken": token, **fields},
            headers={"Referer": self.base + path},
            allow_redirects=False,
            timeout=30,
        )

    def notice(self, browser: requests.Session, path: str = "/login") -> str:
        """Return the notice of a page."""
        page = self.get(browser, path).text
        (notice,) = re.findall(r'role="status"><span>(.*?)</span>', page)
        return html.unescape(notice)

    def invite(self, email: str, role: str, slug: str = "here") -> str:
        """Create an invitation and return the secret of its link."""
        return self.shell(
            "from console.orgs.services.invite import invite; "
            "from console.orgs.permissions import Actor; "
            f"org = Organization.objects.get(slug='{slug}'); "
            f"print(invite(Actor.from_command(org), '{email}', '{role}').secret)"
        )

    def shell(self, code: str) -> str:
        """Run Python in the product and return the last line of its output."""
        head = "from console.orgs.models import *; from allauth.socialaccount.models import *; "
        return self.product.manage("shell", "-c", head + code).splitlines()[-1]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Start a product and its provider once."""
    home: Path = tmp_path_factory.mktemp("oidc")
    with (
        fake.serving() as provider,
        running(
            home,
            OIDC_ISSUER=provider.issuer,
            OIDC_CLIENT_ID=fake.CLIENT,
            OIDC_CLIENT_SECRET=fake.SECRET,
            OIDC_TITLE="Corner ID",
            LOG_FORMAT="json",
        ) as product,
    ):
        product.manage("create_org", "here", "--owner", OWNER)
        yield Site(product, provider)


@pytest.fixture
def site(started: Site) -> Site:
    """The product, with a correct provider that knows the owner."""
    started.provider.reset()
    started.provider.person = {"sub": "1", "email": OWNER, **VERIFIED}
    return started


def test_the_sign_in_page_offers_both_ways(site: Site) -> None:
    page = site.get(site.browser(), "/login?next=/o/here/queues").text
    assert 'href="/login/oidc?next=%2Fo%2Fhere%2Fqueues">Sign in with Corner ID' in page
    assert 'name="password"' in page


def test_somebody_with_an_account_signs_in_by_their_verified_address(site: Site) -> None:
    browser = site.browser()
    site.provider.person["email"] = OWNER.upper()
    assert site.sign_in(browser, "/o/here/queues") == "/o/here/queues"
    assert site.get(browser, "/o/here/queues").status_code == 200
    asked = site.provider.asked
    assert (asked["code_challenge_method"], asked["response_type"]) == ("S256", "code")
    assert sorted(asked["scope"].split()) == ["email", "openid", "profile"]
    assert asked["redirect_uri"] == f"{site.base}/login/oidc/callback"
    (cookie,) = [each for each in browser.cookies if each.name == "sluice_session"]
    assert cookie.has_nonstandard_attr("HttpOnly")
    kept = json.loads(
        site.shell(
            "import json; row = SocialAccount.objects.get(); "
            "print(json.dumps([row.uid, sorted(row.extra_data), SocialToken.objects.count()]))"
        )
    )
    assert (kept[0], kept[2]) == (f"{site.provider.issuer}#1", 0)
    assert set(kept[1]) <= {"id_token"}


def test_known_identity_signs_in_after_its_address_changed(site: Site) -> None:
    assert site.sign_in(site.browser()) == "/o/"
    site.provider.person = {"sub": "1", "email": "renamed@here.example", "email_verified": False}
    browser = site.browser()
    assert site.sign_in(browser) == "/o/"
    assert OWNER in site.get(browser, "/sessions").text


def test_another_identity_with_the_same_address_is_refused(site: Site) -> None:
    assert site.sign_in(site.browser()) == "/o/"
    site.provider.person["sub"] = "2"
    browser = site.browser()
    assert site.sign_in(browser) == "/login"
    assert f"The account of {OWNER} belongs to another identity" in site.notice(browser)
    assert site.get(browser, "/o/").headers["Location"].startswith("/login")


@pytest.mark.parametrize(
    ("claims", "sentence"),
    [
        (
            {"email": OWNER, "email_verified": False},
            f"The sign-in provider has not verified that {OWNER} is yours.",
        ),
        ({"email": OWNER}, f"The sign-in provider has not verified that {OWNER} is yours."),
        ({"email": ""}, "The sign-in provider did not send an e-mail address."),
        ({"email": None, **VERIFIED}, "The sign-in provider did not send an e-mail address."),
        (
            {"email": "nobody@here.example", **VERIFIED},
            NO_ACCOUNT,
        ),
    ],
)
def test_refused_person_sees_the_reason(site: Site, claims: dict, sentence: str) -> None:
    site.provider.person = {"sub": "stranger", **claims}
    browser = site.browser()
    assert site.sign_in(browser) == "/login"
    assert site.notice(browser) == sentence
    assert site.get(browser, "/o/").headers["Location"].startswith("/login")
    found = site.shell(
        "print(User.objects.filter(email__startswith='nobody').count(), "
        "SocialAccount.objects.filter(uid__endswith='stranger').count())"
    )
    assert found == "0 0"


def test_the_user_info_is_asked_when_the_token_has_no_address(site: Site) -> None:
    site.provider.person = {"sub": "1"}
    site.provider.userinfo = {"sub": "1", "email": OWNER, "email_verified": "true"}
    assert site.sign_in(site.browser()) == "/o/"
    site.provider.userinfo["sub"] = "2"
    browser = site.browser()
    assert site.sign_in(browser) == "/login"
    assert FAILED in site.notice(browser)


OTHER_KEY = rsa.generate_private_key(65537, 2048)

FORGERIES = {
    "nonce": lambda claims: claims | {"nonce": "of another sign-in"},
    "no nonce": lambda claims: {k: v for k, v in claims.items() if k != "nonce"},
    "issuer": lambda claims: claims | {"iss": "https://evil.example"},
    "audience": lambda claims: claims | {"aud": "another client"},
    "several audiences": lambda claims: claims | {"aud": [fake.CLIENT, "another"]},
    "authorized party": lambda claims: claims | {"azp": "another client"},
    "expired": lambda claims: claims | {"exp": int(time.time()) - 5},
    "endless": lambda claims: {k: v for k, v in claims.items() if k != "exp"},
    "nobody": lambda claims: {k: v for k, v in claims.items() if k != "sub"},
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_token_with_forged_claims_is_refused(site: Site, forgery: str) -> None:
    site.provider.forge = FORGERIES[forgery]
    browser = site.browser()
    assert site.sign_in(browser) == "/login"
    assert FAILED in site.notice(browser)
    assert site.get(browser, "/o/").headers["Location"].startswith("/login")


SIGNATURES = {
    "another key": {"key": OTHER_KEY},
    "none": {"key": None, "algorithm": "none"},
    "shared secret": {"key": fake.SECRET * 4, "algorithm": "HS256"},
    "unknown key id": {"headers": {"kid": "two"}},
    "no key id": {"headers": {}},
}


@pytest.mark.parametrize("signature", SIGNATURES)
def test_a_token_that_is_not_signed_by_the_provider_is_refused(site: Site, signature: str) -> None:
    site.provider.sign = lambda claims: site.provider.signed(claims, **SIGNATURES[signature])
    browser = site.browser()
    assert site.sign_in(browser) == "/login"
    assert FAILED in site.notice(browser)


@pytest.mark.parametrize("token", [None, "", "x.y.z", 7])
def test_malformed_token_is_refused(site: Site, token: object) -> None:
    site.provider.sign = lambda _: token  # type: ignore[return-value, assignment]
    browser = site.browser()
    assert site.sign_in(browser) == "/login"
    assert FAILED in site.notice(browser)


def test_callback_is_bound_to_the_browser(site: Site) -> None:
    asked = site.to_provider(site.browser())
    other = site.browser()
    site.to_provider(other)
    assert site.get(other, asked).headers["Location"] == "/login"
    assert FAILED in site.notice(other)
    for query in ("", "?code=x", "?state=x&code=y", "?error=access_denied&state=x"):
        answer = site.get(other, f"/login/oidc/callback{query}")
        assert (answer.status_code, answer.headers["Location"]) == (302, "/login")


def test_callback_is_accepted_once(site: Site) -> None:
    browser = site.browser()
    back = site.to_provider(browser)
    assert site.get(browser, back).headers["Location"] == "/o/"
    browser.cookies.clear()
    assert site.get(browser, back).headers["Location"] == "/login"


def test_declined_consent_returns_to_the_sign_in_page(site: Site) -> None:
    browser = site.browser()
    back = site.to_provider(browser)
    (state,) = parse_qs(urlsplit(back).query)["state"]
    answer = site.get(browser, f"/login/oidc/callback?error=access_denied&state={state}")
    assert answer.headers["Location"] == "/login"


@pytest.mark.parametrize("to", ["https://evil.example/", "//evil.example", "javascript:x", ""])
def test_redirect_to_another_site_is_not_followed(site: Site, to: str) -> None:
    assert site.sign_in(site.browser(), to) == "/o/"


@pytest.mark.parametrize(
    "discovery",
    [
        {"issuer": "https://evil.example"},
        {"authorization_endpoint": None, "issuer": None},
        {"token_endpoint": "http://127.0.0.1:9/"},
        {"jwks_uri": "http://127.0.0.1:9/"},
    ],
)
def test_broken_provider_is_reported(site: Site, discovery: dict) -> None:
    site.provider.discovery = discovery
    browser = site.browser()
    answer = site.get(browser, "/login/oidc")
    if answer.headers["Location"] != "/login":
        assert site.sign_in(browser) == "/login"
    said = site.notice(browser)
    assert FAILED in said
    request_id = said.rpartition("request id ")[2].rstrip(".")
    assert len(request_id) == 32


def test_new_person_joins_by_an_invitation(site: Site) -> None:
    secret = site.invite("new@here.example", "editor")
    site.provider.person = {"sub": "new", "email": "new@here.example", **VERIFIED}
    wrong = site.browser()
    site.get(wrong, f"/join/{secret}")
    site.provider.person["email"] = "other@here.example"
    assert site.sign_in(wrong, "/join") == "/login"
    browser = site.browser()
    site.get(browser, f"/join/{secret}")
    page = site.get(browser, "/join").text
    assert 'href="/login/oidc?next=%2Fjoin">Sign in with Corner ID' in page
    site.provider.person["email"] = "new@here.example"
    assert site.sign_in(browser, "/join") == "/join"
    joined = site.send(browser, "/join")
    assert joined.headers["Location"] == "/o/here/"
    assert site.get(browser, "/o/here/").status_code == 200
    found = site.shell(
        "user = User.objects.get(email='new@here.example'); "
        "print(user.has_usable_password(), user.memberships.get().role)"
    )
    assert found == "False editor"


def test_password_set_before_verification_becomes_invalid(site: Site) -> None:
    """The inviting owner has the link, and could choose a password for that email address."""
    email, password = "early@here.example", "a stranger's choice"
    stranger = site.browser()
    site.get(stranger, f"/join/{site.invite(email, 'viewer')}")
    assert site.send(stranger, "/join", password=password, again=password).status_code == 302
    assert site.get(stranger, "/sessions").status_code == 200
    site.provider.person = {"sub": "early", "email": email, **VERIFIED}
    browser = site.browser()
    assert site.sign_in(browser) == "/o/"
    assert "The password of this account is no longer valid" in site.notice(browser, "/o/?all")
    assert site.get(browser, "/sessions").status_code == 200
    assert site.get(stranger, "/sessions").headers["Location"].startswith("/login")
    assert site.send(stranger, "/login", email=email, password=password).status_code == 422
    # The next sign-in shows no notice.
    again = site.browser()
    assert site.sign_in(again) == "/o/"
    assert "does not count" not in site.get(again, "/o/?all").text


def test_accounts_begun_by_invitations_belong_to_the_verified_person(site: Site) -> None:
    email = "both@here.example"
    site.product.manage("create_org", "also", "--owner", OWNER)
    strangers = []
    for slug in ("here", "also"):
        stranger = site.browser()
        secret = site.invite(email, "viewer", slug)
        password = f"a stranger's choice for {slug}"
        site.get(stranger, f"/join/{secret}")
        joined = site.send(stranger, "/join", password=password, again=password)
        assert joined.headers["Location"] == f"/o/{slug}/"
        strangers.append((stranger, slug, password))
    site.provider.person = {"sub": "both", "email": email, **VERIFIED}
    browser = site.browser()
    site.sign_in(browser)
    for stranger, slug, password in strangers:
        assert site.get(browser, f"/o/{slug}/").status_code == 200
        assert site.get(stranger, f"/o/{slug}/").headers["Location"].startswith("/login")
        assert site.send(stranger, "/login", email=email, password=password).status_code == 422
    found = site.shell(
        f"accounts = User.objects.filter(email='{email}').order_by('pk'); "
        "print([(each.proof, each.is_active) for each in accounts])"
    )
    assert found == "[('provider', True), ('invitation', False)]"


@pytest.mark.parametrize(
    "path",
    [
        "/accounts/login/",
        "/accounts/signup/",
        "/accounts/email/",
        "/accounts/3rdparty/",
        "/accounts/social/connections/",
        "/login/oidc/login/",
        "/oidc/oidc/login/",
        "/signup",
    ],
)
def test_pages_of_the_library_are_not_served(site: Site, path: str) -> None:
    assert site.get(site.browser(), path).status_code == 404


def test_secrets_are_not_in_the_log(site: Site) -> None:
    browser = site.browser()
    back = site.to_provider(browser)
    site.get(browser, back)
    (code,) = parse_qs(urlsplit(back).query)["code"]
    output = site.product.output()
    assert "/login/oidc/callback" in output
    assert code not in output
    assert fake.SECRET not in output


def test_correctly_signed_token_of_the_tests_is_valid(site: Site) -> None:
    """The forgeries above are refused for their content, not for the way they are created."""
    claims = {"aud": "x"}
    token = site.provider.signed(claims)
    assert jwt.decode(token, site.provider.key.public_key(), ["RS256"], audience="x") == claims
