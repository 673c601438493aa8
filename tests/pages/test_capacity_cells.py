"""Capacity tables show exactly the columns and sections that the discipline defines."""

from __future__ import annotations

import pytest
from django.test import Client

from console.engine.disciplines import load_discipline
from console.engine.disciplines.read_model import Column, Unit
from console.engine.model.amounts import UNLIMITED
from console.engine.model.capacity_node import CapacityNode
from console.orgs.models import Organization
from console.pages.presenters.queues.capacity_cells import CapacityCell, cells_of
from console.workloads.queries.cohorts import cohort_list
from tests.cohorts import fill
from tests.pages.page import complaints, read_page


def node(**extras: int) -> CapacityNode:
    return CapacityNode(
        kind="queue",
        path=("ml", "train"),
        flavor="spot",
        resource="gpu",
        guaranteed=8000,
        limit=UNLIMITED,
        used=6000,
        entitled=12000,
        demand=4000,
        cannot_run_demand=1000,
        extras=extras,
    )


def test_cells_of_quota_are_those_of_its_columns() -> None:
    cells = cells_of(node(borrowed=500), load_discipline("quota").columns())
    assert cells == (
        CapacityCell(label="nominal", text="8"),
        CapacityCell(label="used", text="6"),
        CapacityCell(label="borrowed or lent", text="0.5 borrowed"),
        CapacityCell(label="available", text="6"),
        CapacityCell(label="requested", text="4", rest="1 can never run"),
    )


@pytest.mark.parametrize(
    ("extras", "text"),
    [
        ({}, "—"),
        ({"lent": 2000}, "2 lent"),
        ({"lent": 2000, "is_certain": False}, "up to 2 lent"),
        ({"borrowed": 2000, "is_certain": False}, "2 borrowed"),
    ],
)
def test_borrowed_and_lent_share_one_cell(extras: dict[str, int], text: str) -> None:
    column = Column(key="borrowed", title="Exchange", help="", unit=Unit.EXCHANGE)
    assert cells_of(node(**extras), [column]) == (CapacityCell(label="exchange", text=text),)


def test_a_column_may_show_an_extra_or_another_field() -> None:
    columns = [
        Column(key="weight", title="Weight", help=""),
        Column(key="entitled", title="Entitled", help=""),
        Column(key="limit", title="Limit", help=""),
    ]
    assert cells_of(node(weight=2500), columns) == (
        CapacityCell(label="weight", text="2.5"),
        CapacityCell(label="entitled", text="12"),
        CapacityCell(label="limit", text="unlimited"),
    )


def test_without_the_section_of_cohorts_there_are_none(
    org: Organization, monkeypatch: pytest.MonkeyPatch, browser: Client
) -> None:
    fill(org, monkeypatch)

    def titles() -> list[str]:
        page = read_page(browser.get("/o/here/cohorts"))
        assert complaints(page) == []
        (rail,) = page.all("nav", class_="rail")
        return [link.text for link in rail.all("a")]

    assert "Cohorts" in titles()
    assert browser.get("/o/here/cohorts/ml").status_code == 200
    assert [each.name for each in cohort_list(org)] == ["all", "ml"]
    monkeypatch.setattr(type(load_discipline("quota")), "sections", lambda self: ())
    assert "Cohorts" not in titles()
    assert browser.get("/o/here/cohorts/ml").status_code == 404
    assert cohort_list(org) == []
