"""The permission matrix: every table line as every caller has the status that the roles imply."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.permissions.callers import Caller
from tests.permissions.conftest import Stage
from tests.permissions.expected import api_status, client_status, page_status, sign_in_address
from tests.permissions.sending import Answer, ask, ask_refused, no_rows_written
from tests.permissions.table import API, CLIENT, NOTHING, PAGES, Line

#: Status -> code of the API's refusal.
_CODES = {401: {"not_authenticated", "invalid_token"}, 403: {"not_allowed"}, 404: {"not_found"}}

every_page = pytest.mark.parametrize("line", PAGES, ids=lambda line: line.id)
every_call = pytest.mark.parametrize("line", API, ids=lambda line: line.id)


@every_page
def test_page_permissions(line: Line, stage: Stage) -> None:
    found = check(line, stage, stage.visitors, page_status)
    nobody = stage.caller("nobody")
    if page_status(line, nobody) != line.status and found["nobody"].status == 302:
        to = sign_in_address(line, line.address(stage.names(nobody)))
        assert found["nobody"].headers["Location"] == to


@every_call
def test_api_permissions(line: Line, stage: Stage) -> None:
    # Public addresses answer the same to all, and generating the schema is slow.
    few = [stage.caller("unknown token"), stage.caller("nobody")]
    found = check(line, stage, few if line.takes == NOTHING else stage.everybody, api_status)
    for name, answer in found.items():
        if answer.status in _CODES and answer.status != line.status:
            assert json.loads(answer.body)["code"] in _CODES[answer.status], name
            assert ("WWW-Authenticate" in answer.headers) == (answer.status == 401)


@pytest.mark.parametrize("line", CLIENT, ids=lambda line: line.id)
def test_client_protocol_permissions(line: Line, stage: Stage) -> None:
    # A token of the other organization reads that organization; test_foreign tests this.
    callers = [each for each in stage.everybody if each.role or not each.is_known]
    found = check(line, stage, callers, client_status)
    for name, answer in found.items():
        if answer.status in _CODES and answer.status != line.status:
            body = json.loads(answer.body)
            if "error" in body:
                assert body["error"]["code"] in _CODES[answer.status], name
            else:
                # YuniKorn's errors have no codes.
                assert body["status_code"] == answer.status, name


def check(
    line: Line, stage: Stage, callers: list[Caller], expected: Callable[[Line, Caller], int]
) -> dict[str, Answer]:
    """
    Check the answer to each of *callers* against *expected*, and return the answers by name.

    Refused requests change nothing. HEAD is answered like GET.
    """
    due = {caller.name: expected(line, caller) for caller in callers}
    refused = [each for each in callers if due[each.name] != line.status]
    allowed = [each for each in callers if due[each.name] == line.status]
    # Pages never poll with HEAD.
    is_headed = line.is_safe and "?v=" not in line.path
    heads = {due[each.name]: each for each in callers} if is_headed else {}
    found = {}
    with no_rows_written():
        for caller in refused:
            found[caller.name] = ask_refused(caller, line, stage.names(caller))
    for caller in allowed:
        found[caller.name] = ask(caller, line, stage.names(caller))
    assert {name: answer.status for name, answer in found.items()} == due
    for status, caller in heads.items():
        head = ask(caller, line, stage.names(caller), method="HEAD")
        assert (head.status, head.body) == (status, b"")
    return found


#: Forms that mail programs send too: the signed link of the address is the proof.
_WITHOUT_TOKEN = "/unsubscribe/"


@pytest.mark.parametrize(
    "line",
    [
        each
        for each in (*PAGES, *API)
        if not each.is_safe and not each.path.startswith(_WITHOUT_TOKEN)
    ],
    ids=lambda line: line.id,
)
def test_a_form_without_a_csrf_token_is_refused(line: Line, stage: Stage) -> None:
    owner = stage.caller("owner here")
    with no_rows_written():
        answer = ask_refused(owner, line, stage.names(owner), csrf=False)
    assert answer.status == 403
    if line in API:
        assert json.loads(answer.body)["code"] == "csrf_failed"
