"""Who is asking: what counts as a sign of who, where, and what it never does."""

import asyncio
from datetime import timedelta
from uuid import UUID

import httpx
import pytest
from litestar import get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler

from rensai.kit.db import Command, Query
from rensai.kit.ids import new_uid
from rensai.kit.web.openapi import SIGNED_IN
from rensai.rooms.readers.door import Role, User, Visit, require_role
from rensai.rooms.readers.service.last_used import COARSE, LastUsed
from rensai.wiring.app import create_app
from rensai.wiring.routes import ROUTES
from tests.rig import BASE_URL, Rig
from tests.rooms.readers.accounts import NOON
from tests.rooms.readers.test_devices_api import LOGIN, an_app
from tests.rooms.readers.test_registration_api import ME
from tests.rooms.readers.test_tokens_api import a_reader, by, make

pytestmark = pytest.mark.anyio

_USED = Query("SELECT last_used_at AS at FROM sessions WHERE kind = 'browser'", object)
_TOKEN_USED = Query("SELECT last_used_at AS at FROM api_tokens", object)
_BAN = Command("UPDATE users SET is_banned = true")
_WRITES = Query("SELECT xmin::text AS row FROM sessions WHERE kind = 'browser'", str)


@get("/wp-json/novel/v1/who", opt={"scope": "library:read"})
async def novel_who(user: NamedDependency[User | None]) -> dict[str, str | None]:
    return {"who": user and user.username}


@get("/api/v1/who", opt={"scope": "library:read"})
async def who(user: NamedDependency[User | None]) -> dict[str, str | None]:
    return {"who": user and user.username}


@get("/api/v1/need", security=SIGNED_IN)
async def need(user: NamedDependency[User | None]) -> dict[str, str | None]:
    return {"who": require_role(user, Role.USER).username}


@post("/api/v1/act", security=SIGNED_IN, opt={"scope": "library:write"})
async def act(user: NamedDependency[User | None]) -> dict[str, str | None]:
    return {"who": require_role(user, Role.USER).username}


@get("/who")
async def page_who(user: NamedDependency[User | None]) -> dict[str, str | None]:
    return {"who": user and user.username}


OURS: list[HTTPRouteHandler] = [novel_who, who, need, act, page_who]


class Asked:
    """The application with a few routes that tell who is asking."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.app = create_app(rig.services, [*ROUTES, *OURS])

    def visitor(self, cookies: httpx.Cookies | None = None) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(self.app, client=("127.0.0.1", 40000))
        return httpx.AsyncClient(transport=transport, base_url=BASE_URL, cookies=cookies)


@pytest.fixture
async def asked(rig: Rig) -> Asked:
    return Asked(rig)


async def test_a_cookie_counts_on_the_site_and_its_api_and_not_on_the_novel_api(
    asked: Asked,
) -> None:
    visitor = asked.visitor((await a_reader(asked.rig)).cookies)
    for path, name in (
        ("/who", "reader1"),
        ("/api/v1/who", "reader1"),
        ("/wp-json/novel/v1/who", None),
    ):
        assert (await visitor.get(path)).json() == {"who": name}


async def test_a_token_counts_on_both_apis_and_not_on_pages(asked: Asked) -> None:
    reader = await a_reader(asked.rig)
    app = await an_app(asked.rig)
    for bearer in (app["access_token"], (await make(reader))["token"]):
        for scheme in ("Bearer", "bearer", "BEARER"):
            headers = {"Authorization": f"{scheme} {bearer}"}
            for path in ("/api/v1/who", "/wp-json/novel/v1/who"):
                answer = await asked.visitor().get(path, headers=headers)
                assert answer.json() == {"who": "reader1"}
            assert (await asked.visitor().get("/who", headers=headers)).json() == {"who": None}


@pytest.mark.parametrize(
    "token", ["", "x", "rsn_", "rsn_" + "x" * 43, "rsr_" + "x" * 43, "a.b.c", "é", "null", "a b"]
)
async def test_a_bad_token_is_refused_also_where_nobody_need_be_signed_in(
    asked: Asked, token: str
) -> None:
    headers = httpx.Headers({b"Authorization": f"Bearer {token}".encode("latin-1")})
    answer = await asked.visitor().get("/api/v1/who", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "AUTH_REQUIRED")
    answer = await asked.visitor().get("/wp-json/novel/v1/who", headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_token")


async def test_an_expired_token_is_told_apart_on_the_novel_api(asked: Asked) -> None:
    await a_reader(asked.rig)
    app = await an_app(asked.rig)
    asked.rig.clock.advance(timedelta(days=7))
    answer = await asked.visitor().get("/wp-json/novel/v1/who", headers=by(app["access_token"]))
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token_expired")


async def test_a_refresh_token_is_no_access_token(asked: Asked) -> None:
    await a_reader(asked.rig)
    app = await an_app(asked.rig)
    answer = await asked.visitor().get("/wp-json/novel/v1/who", headers=by(app["refresh_token"]))
    assert answer.json()["error"]["code"] == "invalid_token"


async def test_a_bad_token_is_refused_although_the_cookie_is_good(asked: Asked) -> None:
    visitor = asked.visitor((await a_reader(asked.rig)).cookies)
    assert (await visitor.get("/api/v1/who", headers=by("x"))).status_code == 401


async def test_other_schemes_are_a_proxys_and_none_of_ours(asked: Asked) -> None:
    visitor = asked.visitor((await a_reader(asked.rig)).cookies)
    answer = await visitor.get("/api/v1/who", headers={"Authorization": "Basic YWRhOmFkYQ=="})
    assert answer.json() == {"who": "reader1"}


@pytest.mark.parametrize("name", ["access_token", "token", "authorization", "api_key"])
async def test_a_token_in_the_address_is_nobody(asked: Asked, name: str) -> None:
    await a_reader(asked.rig)
    token = (await an_app(asked.rig))["access_token"]
    answer = await asked.visitor().get("/api/v1/who", params={name: token})
    assert answer.json() == {"who": None}
    assert (await asked.visitor().get("/api/v1/need", params={name: token})).status_code == 401


async def test_a_token_without_the_scope_is_nobody_where_that_will_do(asked: Asked) -> None:
    reader = await a_reader(asked.rig)
    token = (await make(reader, scopes=["talk:read"]))["token"]
    assert (await asked.visitor().get("/api/v1/who", headers=by(token))).json() == {"who": None}
    answer = await asked.visitor().post("/api/v1/act", headers=by(token))
    assert (answer.status_code, answer.json()["details"]) == (403, {"scope": "library:write"})


async def test_a_route_without_a_scope_refuses_every_api_token(asked: Asked) -> None:
    reader = await a_reader(asked.rig)
    token = (await make(reader))["token"]
    answer = await asked.visitor().get("/api/v1/need", headers=by(token))
    assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")
    app = await an_app(asked.rig)
    assert (await asked.visitor().get("/api/v1/need", headers=by(app["access_token"]))).is_success


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)
async def test_another_site_can_do_nothing_by_the_cookie_of_a_reader(
    asked: Asked, headers: dict[str, str]
) -> None:
    reader = await a_reader(asked.rig)
    visitor = asked.visitor(reader.cookies)
    refused = await visitor.post("/api/v1/act", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "FOREIGN_FORM")
    assert (await visitor.get("/api/v1/who", headers=headers)).is_success
    assert (await visitor.post("/api/v1/act")).is_success
    # A browser never sends a token by itself, so whoever sends one means it.
    token = (await make(reader))["token"]
    assert (await asked.visitor().post("/api/v1/act", headers=headers | by(token))).is_success


async def test_every_way_in_ends_when_the_account_is_banned(asked: Asked) -> None:
    reader = await a_reader(asked.rig)
    tokens = [(await make(reader))["token"], (await an_app(asked.rig))["access_token"]]
    async with asked.rig.db.transaction() as tx:
        await tx.run(_BAN)
    assert (await asked.visitor(reader.cookies).get("/api/v1/who")).json() == {"who": None}
    for token in tokens:
        assert (await asked.visitor().get("/api/v1/who", headers=by(token))).status_code == 401


async def test_signing_in_takes_a_new_session_and_ends_the_one_before(rig: Rig) -> None:
    await a_reader(rig)
    planted = {"Cookie": f"rensai_session={'x' * 43}"}
    visitor = rig.visitor()
    await visitor.post("/api/v1/auth/login", json=LOGIN, headers=planted)
    first = visitor.cookies["rensai_session"]
    assert first != "x" * 43
    await visitor.post("/api/v1/auth/login", json=LOGIN)
    assert visitor.cookies["rensai_session"] != first
    stale = await rig.visitor().get(ME, headers={"Cookie": f"rensai_session={first}"})
    assert stale.status_code == 401


class Watched(LastUsed):
    """Says how often it wrote."""

    writes = 0

    async def _write(self) -> None:
        self.writes += 1
        await super()._write()


async def test_use_is_noted_together_and_not_again_for_a_while(rig: Rig) -> None:
    reader = await a_reader(rig)
    token = (await make(reader))["token"]
    before = await rig.db.primary.first(_WRITES)
    rig.clock.advance(COARSE)
    for _ in range(5):
        await reader.get(ME)
        await rig.get(ME, headers=by(token))
    await asyncio.sleep(1.5)
    assert await rig.db.primary.first(_USED) == rig.clock.now()
    assert await rig.db.primary.first(_TOKEN_USED) == rig.clock.now()
    noted = await rig.db.primary.first(_WRITES)
    assert noted != before
    rig.clock.advance(COARSE - timedelta(seconds=1))
    await reader.get(ME)
    await asyncio.sleep(1.5)
    assert await rig.db.primary.first(_WRITES) == noted


async def test_many_visits_of_a_moment_are_one_write(rig: Rig) -> None:
    reader = await a_reader(rig)
    (device,) = (await reader.get("/api/v1/auth/sessions")).json()["items"]
    watched = Watched(rig.db, rig.clock)
    account = User(1, new_uid(), "a", "a@b", "a", "", "user", True, False, False, NOON)
    for number in range(100):
        device_id = new_uid() if number % 2 else UUID(device["id"])
        watched.see(Visit(account, session=device_id), rig.clock.now())
    rig.clock.advance(timedelta(hours=1))
    await watched.close()
    assert watched.writes == 1
    assert await rig.db.primary.first(_USED) == rig.clock.now()
