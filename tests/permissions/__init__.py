"""
Who may do what: every address with every method, asked by everybody.

`pages.txt`, `api.txt` and `client.txt` say by hand what each takes. The tests walk the
addresses of the product, so that none can be missing there, and ask each as every role, from
elsewhere, with what has ended, and as nobody. Single sign-on adds addresses only where it is
set up; `tests.oidc` is about those.
"""
