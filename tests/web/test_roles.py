"""Every route, asked by every role, answers as docs/roles.md says."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from litestar.handlers import HTTPRouteHandler

from rensai.kit.web.cookies import SESSION
from rensai.kit.web.surfaces import Surface, surface_of
from rensai.rooms.readers.door import User
from rensai.rooms.readers.model.signing import Device
from rensai.rooms.readers.service import sessions
from rensai.wiring.openapi import api_description
from rensai.wiring.routes import ROUTES
from tests.rig import BASE_URL, Rig
from tests.rooms.readers.people import a_person, a_token
from tests.web.smallest import smallest_body

pytestmark = pytest.mark.anyio

ROLES = ("nobody", "user", "uploader", "moderator", "admin")
REFUSED = {"AUTH_REQUIRED", "FORBIDDEN", "invalid_token", "permission_denied"}

_TABLE = Path(__file__).parents[2] / "docs" / "roles.md"
_ROW = re.compile(r"^\| `([A-Z]+) (/\S*)` \| ([a-z ]+) \| (?:`([a-z:]+)`)? ?\|$", re.MULTILINE)
_PARAMETER = re.compile(r"\{(\w+):(\w+)\}")
_UID = "0190163d-8694-739b-aea5-966c26f8ad91"
_EXAMPLES = {"kind": "tag", "int": "1", "str": _UID, "uuid": _UID, "path": "x"}
_HERE = Device("198.18.0.1", "198.18.0.0/24", "tests")


class Row(msgspec.Struct, frozen=True):
    """A line of the table."""

    least: str
    scope: str | None


TABLE = {
    f"{method} {path}": Row(least, scope or None)
    for method, path, least, scope in _ROW.findall(_TABLE.read_text())
}


def handlers() -> dict[str, HTTPRouteHandler]:
    """Every route by its method and path, as the table spells them."""
    found: dict[str, HTTPRouteHandler] = {}
    for handler in ROUTES:
        assert isinstance(handler, HTTPRouteHandler)
        for path in handler.paths:
            spelt = re.sub(r"\{(\w+):\w+\}", r"{\1}", path)
            for method in sorted(set(map(str, handler.http_methods)) - {"OPTIONS"}):
                found[f"{method} {spelt}"] = handler
    return found


HANDLERS = handlers()
NOT_WALKED = {
    name
    for name in HANDLERS
    if "/ingest/" in name or (name.startswith("POST /") and surface_of(name[5:]) is Surface.SITE)
}
"""What goes by signatures or by the tokens of forms, and not by roles."""

DOCUMENT: Mapping[str, Any] = api_description(ROUTES, BASE_URL).document


def test_the_table_names_every_route_once_and_nothing_else() -> None:
    lines = [f"{method} {path}" for method, path, *_ in _ROW.findall(_TABLE.read_text())]
    assert sorted(lines) == sorted(HANDLERS)


def test_the_table_names_the_scopes_that_routes_ask_for() -> None:
    assert {name: row.scope for name, row in TABLE.items()} == {
        name: handler.opt.get("scope") for name, handler in HANDLERS.items()
    }


class Walker:
    """Somebody with a role, who comes to each route signed in anew."""

    def __init__(self, rig: Rig, user: User | None) -> None:
        self._rig = rig
        self._user = user

    async def ask(self, name: str) -> httpx.Response:
        method, _, path = name.partition(" ")
        address = _address(name)
        visitor = self._rig.visitor()
        await self._sign_in(visitor, path)
        body = smallest_body(DOCUMENT, path, method)
        return await visitor.request(method, address, json=body)

    async def _sign_in(self, visitor: httpx.AsyncClient, path: str) -> None:
        if self._user is None:
            return
        if surface_of(path) is Surface.NOVEL:
            visitor.headers["authorization"] = f"Bearer {await a_token(self._rig, self._user.id)}"
            return
        async with self._rig.db.transaction() as tx:
            now = self._rig.clock.now()
            session = await sessions.begin_session(tx, self._user, _HERE, now)
        visitor.cookies.set(SESSION, session.token)


def _address(name: str) -> str:
    """The address of something that is not there."""
    (path,) = HANDLERS[name].paths
    return _PARAMETER.sub(lambda match: _EXAMPLES.get(match[1]) or _EXAMPLES[match[2]], path)


class _Named(msgspec.Struct):
    code: str


class _Told(msgspec.Struct):
    """An error in either envelope, or anything else without one."""

    code: str = ""
    error: str | _Named = ""


def _code(answer: httpx.Response) -> str:
    """Why an answer is refused; pages have no code, so theirs is told from the status."""
    if not answer.headers.get("content-type", "").startswith("application/json"):
        return {401: "AUTH_REQUIRED", 403: "FORBIDDEN"}.get(answer.status_code, "")
    told = msgspec.json.decode(answer.content or b"null", type=_Told | None)
    if told is None:
        return ""
    return told.error.code if isinstance(told.error, _Named) else told.code


def _may(role: str, least: str) -> bool:
    return least == "everybody" or ROLES.index(role) >= ROLES.index(least)


def _is_refused(answer: httpx.Response, user: User | None) -> bool:
    """Whether it is the role that is missing: 401 for who has not signed in, 403 for others.

    A page sends whoever has not signed in to where that is done.
    """
    if user is None and answer.headers.get("location", "").startswith("/login"):
        return True
    return answer.status_code == (401 if user is None else 403) and _code(answer) in REFUSED


@pytest.mark.parametrize("role", ROLES)
async def test_every_route_answers_each_role_as_the_table_says(rig: Rig, role: str) -> None:
    user = None if role == "nobody" else await a_person(rig.db, rig.clock, role, role=role)
    walker = Walker(rig, user)
    wrong: list[str] = []
    for name, row in TABLE.items():
        if name in NOT_WALKED:
            continue
        answer = await walker.ask(name)
        if _is_refused(answer, user) is _may(role, row.least):
            wrong.append(f"{name}: {answer.status_code} {_code(answer)}")
    assert wrong == []
