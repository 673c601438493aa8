"""
Permission tests: every address with every method, requested by every kind of caller.

`pages.txt`, `api.txt` and `client.txt` list the required permissions, maintained by hand. The
tests walk the URL configuration, so no address can be missing, and request each address as every
role, as members of another organization, with ended sessions and tokens, and anonymously. Single
sign-on adds addresses only where it is configured; `tests.oidc` tests those.
"""
