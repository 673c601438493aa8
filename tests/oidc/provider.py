"""A small OpenID Connect provider on loopback whose answers tests can change."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT = "console"
SECRET = "a client's secret"


@dataclass
class Provider:
    """The person who signs in, and the deviations from correct answers."""

    issuer: str = ""
    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))
    #: Claims of the person who signs in.
    person: dict[str, Any] = field(default_factory=dict)
    #: Changes the claims before they are signed.
    forge: Callable[[dict[str, Any]], dict[str, Any]] = lambda claims: claims
    #: Creates the id token from the claims; None for a correct token.
    sign: Callable[[dict[str, Any]], str | None] | None = None
    #: Changed values of the discovery document.
    discovery: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] = field(default_factory=dict)
    #: Code -> parameters of its authorization request.
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    #: Parameters of the last sign-in.
    asked: dict[str, str] = field(default_factory=dict)

    def reset(self) -> None:
        """Answer correctly again, without a person."""
        honest = Provider(issuer=self.issuer, key=self.key)
        for name in ("person", "forge", "sign", "discovery", "userinfo", "codes", "asked"):
            setattr(self, name, getattr(honest, name))

    def signed(self, claims: dict[str, Any], **options: Any) -> str:
        """Return a correctly signed id token."""
        options = {"key": self.key, "algorithm": "RS256", "headers": {"kid": "one"}} | options
        return jwt.encode(claims, **options)

    def configuration(self) -> dict[str, Any]:
        """Return the discovery document."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        } | self.discovery

    def keys(self) -> dict[str, Any]:
        """Return the public key."""
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [public | {"kid": "one", "alg": "RS256", "use": "sig"}]}

    def authorize(self, asked: dict[str, str]) -> str:
        """Return the URL to which the browser is redirected after consent."""
        self.asked = asked
        code = secrets.token_urlsafe(8)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, sent: dict[str, str]) -> dict[str, Any] | None:
        """Return the tokens for a code, or None when a parameter does not match."""
        asked = self.codes.pop(sent.get("code", ""), None)
        if asked is None or (sent["client_id"], sent["client_secret"]) != (CLIENT, SECRET):
            return None
        challenge = hashlib.sha256(sent["code_verifier"].encode()).digest()
        if asked["code_challenge"] != base64.urlsafe_b64encode(challenge).decode().rstrip("="):
            return None
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 60,
            "nonce": asked["nonce"],
            **self.person,
        }
        id_token = (self.sign or self.signed)(self.forge(claims))
        answer = {"access_token": secrets.token_urlsafe(8), "token_type": "Bearer"}
        return answer if id_token is None else answer | {"id_token": id_token}


@contextmanager
def serving() -> Iterator[Provider]:
    """Run a provider and yield it."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = dict(parse_qsl(parts.query))
            if parts.path == "/authorize":
                self.send_response(302)
                self.send_header("Location", provider.authorize(query))
                self.end_headers()
                return
            found = {
                "/.well-known/openid-configuration": provider.configuration,
                "/keys": provider.keys,
                "/userinfo": lambda: provider.userinfo,
            }[parts.path]
            self.answer(200, found())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            tokens = provider.token(dict(parse_qsl(body)))
            self.answer(200 if tokens else 400, tokens or {"error": "invalid_grant"})

        def answer(self, status: int, body: Any) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
