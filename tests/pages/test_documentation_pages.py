"""Pages of the documentation: every page and link, the search, permissions, a missing folder."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest
from django.test import Client

from console.csp import POLICY
from console.documentation.library import document_url, library
from tests.pages.page import Element, complaints, read_page

_NAMES = sorted(library().documents)


def of_class(page: Element, name: str) -> list[Element]:
    """Return the elements of a class."""
    return [each for each in page.walk() if name in each.attrs.get("class", "").split()]


@pytest.mark.parametrize("name", _NAMES)
def test_every_document_has_a_sound_page(name: str, client: Client) -> None:
    response = client.get(document_url(name))
    page = read_page(response)
    document = library().documents[name]
    assert response.status_code == 200
    # Documents may link other sites; nothing is loaded from there.
    assert [each for each in complaints(page) if not each.startswith("foreign href")] == []
    assert response.headers["Cache-Control"] == "private, no-store"
    assert (
        "; ".join(f"{key} {value}" for key, value in POLICY.items())
        == (response.headers["Content-Security-Policy"])
    )
    assert [each.text for each in page.all("h1")] == [document.title]
    rail = page.id("sections")
    current = [each.text for each in rail.all("a", **{"aria-current": "page"})]
    assert current == ["Contents" if name == "README" else document.title]


def test_every_link_and_image_resolves(client: Client) -> None:
    """Also without a session: the documentation is public."""
    pages = {document_url(name): read_page(client.get(document_url(name))) for name in _NAMES}
    anchors = {
        url: {each.attrs["id"] for each in page.walk() if "id" in each.attrs}
        for url, page in pages.items()
    }
    statuses: dict[str, int] = {}
    dead = []
    for url, page in pages.items():
        for element in page.walk():
            address = element.attrs.get("href" if element.tag == "a" else "src", "")
            if element.tag not in ("a", "img") or address.startswith(("https://", "http://")):
                continue
            target, anchor = urldefrag(urljoin(url, address))
            if target not in anchors and target not in statuses:
                statuses[target] = client.get(target, follow=True).status_code
            is_there = target in anchors or statuses[target] == 200
            if not is_there or (anchor and anchor not in anchors[target]):
                dead.append(f"{address} on {url}")
    assert dead == []
    assert sum(target.startswith("/docs/images/") for target in statuses) > 20


def test_groups_and_neighbors_follow_the_contents(client: Client) -> None:
    page = read_page(client.get("/docs/"))
    groups = [each.text for each in of_class(page.id("sections"), "rail__group")]
    assert groups == [group.title for group in library().groups]
    assert (groups[0], groups[-1]) == ("First steps", "For contributors")
    listed = [each.attrs["href"] for each in page.id("sections").all("a")]
    assert sorted(listed) == sorted(map(document_url, _NAMES))
    neighbors = [
        [
            (link.attrs["rel"], link.attrs["href"])
            for nav in of_class(read_page(client.get(url)), "document-neighbors")
            for link in nav.all("a")
        ]
        for url in listed[1:3]
    ]
    assert neighbors == [[("next", listed[2])], [("prev", listed[1]), ("next", listed[3])]]


def test_outlines_link_the_sections_and_those_of_long_pages_only_the_parts(client: Client) -> None:
    outlines = {}
    for name in ("webhooks", "diagnostics", "README"):
        page = read_page(client.get(document_url(name)))
        (outline,) = of_class(page, "document-outline")
        outlines[name] = [each.text for each in outline.all("a")]
    assert outlines["webhooks"][:2] == ["Formats", "Event types"]
    assert len(outlines["diagnostics"]) == 8
    assert outlines["README"] == [group.title for group in library().groups]


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/docs", "/docs/"),
        ("/docs?q=quota", "/docs/?q=quota"),
        ("/docs/queues", "/docs/queues/"),
        ("/docs/queues.md", "/docs/queues/"),
        ("/docs/README.md", "/docs/"),
        ("/docs/README/", "/docs/"),
    ],
)
def test_other_forms_of_an_address_lead_to_the_page(path: str, target: str, client: Client) -> None:
    response = client.get(path)
    assert (response.status_code, response.headers["Location"]) == (301, target)


@pytest.mark.parametrize(
    "path",
    [
        "/docs/nothing/",
        "/docs/nothing",
        "/docs/images/",
        "/docs/images/nothing.png",
        "/docs/../manage.py",
        "/docs/%2e%2e/manage.py",
        "/docs/images/../../manage.py",
        "/docs//etc/passwd",
        "/docs/a%00b",
    ],
)
def test_an_address_without_a_page_or_file_is_refused_with_a_way_on(
    path: str, client: Client
) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert "has no page" in read_page(response).text
    assert response.headers["Cache-Control"] == "private, no-store"


def test_images_and_examples_are_sent_as_what_they_are(client: Client) -> None:
    found = {}
    for path in ("images/queues-light.png", "gitops/apply.sh"):
        response = client.get(f"/docs/{path}")
        assert response.content == (library().folder / path).read_bytes()
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        found[path] = (response.headers["Content-Type"], response.headers["Cache-Control"])
    assert found == {
        "images/queues-light.png": ("image/png", "public, max-age=3600"),
        "gitops/apply.sh": ("text/plain; charset=utf-8", "public, max-age=3600"),
    }


def test_results_have_title_page_and_excerpt_with_marks(client: Client) -> None:
    page = read_page(client.get("/docs/", {"q": "hold and resume"}))
    first = of_class(page, "document-hit")[0]
    (link,) = first.all("a")
    assert link.attrs["href"] == "/docs/queues/#hold-and-resume"
    assert [each.text.lower() for each in link.all("mark")] == ["hold", "and", "resume"]
    assert first.text.startswith("Hold and resume Queues")
    assert first.all("p")[0].all("mark")
    assert page.id("documentation-q").attrs["value"] == "hold and resume"
    assert complaints(page) == []


def test_many_results_have_pages(client: Client) -> None:
    seen: list[str] = []
    url = "/docs/?q=quota"
    while url:
        page = read_page(client.get(url))
        seen += [hit.all("a")[0].attrs["href"] for hit in of_class(page, "document-hit")]
        following = [each.attrs["href"] for each in page.all("a", rel="next")]
        url = following[0] if following else ""
    assert len(seen) == len(set(seen)) > 60
    assert f"{len(seen)} sections" in read_page(client.get("/docs/?q=quota")).text


def test_search_without_results_wrong_pages_and_any_text(client: Client) -> None:
    page = read_page(client.get("/docs/", {"q": "no-such-word"}))
    assert "No results" in page.text
    assert complaints(page) == []
    assert "No more results" in read_page(client.get("/docs/?q=quota&cursor=9999")).text
    assert client.get("/docs/?q=quota&cursor=x").status_code == 400
    for text in ("", " ", "\0", "%", "<script>", "x" * 5000, "\\", "(", "é" * 100):
        response = client.get("/docs/", {"q": text})
        assert response.status_code == 200
        assert b"<script>" not in response.content


def test_readers_who_are_not_signed_in_can_sign_in_and_return(client: Client) -> None:
    page = read_page(client.get("/docs/queues/"))
    assert "/login?next=/docs/queues/" in [each.attrs["href"] for each in page.all("a")]


def test_a_missing_folder_is_stated(client: Client, settings, tmp_path: Path) -> None:
    settings.DOCUMENTATION = tmp_path / "docs"
    for path in ("/docs/", "/docs/?q=quota", "/docs/queues/"):
        response = client.get(path)
        page = read_page(response)
        assert response.status_code == 404
        assert complaints(page) == []
        assert [each.text for each in page.all("h1")] == ["Documentation is not installed"]
        assert str(tmp_path / "docs") in page.text
    assert client.get("/docs/images/queues-light.png").status_code == 404
