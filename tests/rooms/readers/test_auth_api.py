"""`/api/v1/auth`, as a program meets it."""

from datetime import timedelta
from pathlib import Path

import pytest

from rensai.kit.clock import SetClock
from rensai.kit.db import Database
from tests.rig import Rig, build_services
from tests.rooms.readers.accounts import PASSWORD, an_admin

pytestmark = pytest.mark.anyio

LOGIN = "/api/v1/auth/login"
LOGOUT = "/api/v1/auth/logout"
ME = "/api/v1/auth/me"


@pytest.mark.parametrize(
    "name", [{"login": "ada"}, {"username": "ADA"}, {"email": "ada@example.com"}]
)
async def test_signing_in_sets_a_cookie_that_scripts_cannot_read(
    rig: Rig, name: dict[str, str]
) -> None:
    created = await an_admin(rig.db)
    answer = await rig.client.post(LOGIN, json={**name, "password": PASSWORD})
    assert answer.status_code == 200
    account = answer.json()
    assert account == {
        "id": str(created.user.uid),
        "username": "ada",
        "email": "ada@example.com",
        "displayName": "ada",
        "bio": "",
        "role": "admin",
        "emailVerified": False,
        "createdAt": "2026-05-04T12:00:00Z",
    }
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("rensai_session=")
    attributes = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert attributes == {"httponly", "samesite=lax", "path=/", "max-age=2592000"}
    assert (await rig.client.get(ME)).json() == account


async def test_the_cookie_is_secure_when_the_site_is(
    database: Database, tmp_path: Path, clock: SetClock
) -> None:
    await an_admin(database)
    services = build_services(database, tmp_path, clock, BASE_URL="https://rensai.test")
    async with Rig(services, clock) as rig:
        answer = await rig.post(LOGIN, json={"login": "ada", "password": PASSWORD})
        assert "secure" in answer.headers["set-cookie"].lower()


async def test_nobody_is_nobody(rig: Rig) -> None:
    answer = await rig.client.get(ME)
    assert answer.status_code == 401
    assert answer.json() == {"error": "Sign in first.", "code": "AUTH_REQUIRED"}


async def test_signing_out_ends_the_session_also_for_who_kept_the_cookie(rig: Rig) -> None:
    await an_admin(rig.db)
    await rig.client.post(LOGIN, json={"login": "ada", "password": PASSWORD})
    kept = rig.client.cookies["rensai_session"]
    answer = await rig.client.post(LOGOUT)
    assert answer.status_code == 204
    assert "rensai_session" not in rig.client.cookies
    again = await rig.client.get(ME, headers={"Cookie": f"rensai_session={kept}"})
    assert again.status_code == 401
    assert (await rig.client.post(LOGOUT)).status_code == 204


async def test_a_session_ends_with_its_time(rig: Rig) -> None:
    await an_admin(rig.db)
    await rig.client.post(LOGIN, json={"login": "ada", "password": PASSWORD})
    kept = rig.client.cookies["rensai_session"]
    rig.clock.advance(timedelta(days=30))
    answer = await rig.client.get(ME, headers={"Cookie": f"rensai_session={kept}"})
    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"login": "ada", "password": "wrong password"}, 401),
        ({"login": "nobody", "password": PASSWORD}, 401),
        ({"login": "a@b", "password": PASSWORD}, 401),
        ({"password": PASSWORD}, 422),
        ({"login": "ada", "email": "ada@example.com", "password": PASSWORD}, 422),
        ({"login": "ada"}, 422),
        ({"login": "ada", "password": ""}, 422),
        ({"login": "ada", "password": "x" * 129}, 422),
        ({"login": "ada\x00", "password": PASSWORD}, 422),
        ({"login": 7, "password": PASSWORD}, 422),
        ({"login": "ada", "password": PASSWORD, "admin": True}, 422),
        ([], 422),
    ],
    ids=lambda part: str(part)[:40],
)
async def test_bad_credentials_and_bad_bodies_are_told_apart(
    rig: Rig, body: object, status: int
) -> None:
    await an_admin(rig.db)
    answer = await rig.client.post(LOGIN, json=body)
    assert answer.status_code == status
    assert PASSWORD not in answer.text
    assert "set-cookie" not in answer.headers
    if status == 401:
        assert answer.json() == {
            "error": "The name or the password is wrong.",
            "code": "INVALID_CREDENTIALS",
        }


async def test_the_eleventh_try_in_a_minute_must_wait(rig: Rig) -> None:
    await an_admin(rig.db)
    for _ in range(10):
        wrong = await rig.client.post(LOGIN, json={"login": "ada", "password": "wrong"})
        assert wrong.status_code == 401
    right = {"login": "ada", "password": PASSWORD}
    answer = await rig.client.post(LOGIN, json=right)
    assert answer.status_code == 429
    assert answer.json()["code"] == "RATE_LIMITED"
    rig.clock.advance(timedelta(seconds=int(answer.headers["Retry-After"])))
    assert (await rig.client.post(LOGIN, json=right)).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://rensai.test.evil.example"},
        {"Origin": "file://"},
        {"Origin": "http://[broken"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)
async def test_another_site_can_neither_sign_in_nor_out(rig: Rig, headers: dict[str, str]) -> None:
    await an_admin(rig.db)
    body = {"login": "ada", "password": PASSWORD}
    refused = await rig.client.post(LOGIN, json=body, headers=headers)
    assert refused.status_code == 403
    assert refused.json()["code"] == "FOREIGN_FORM"
    await rig.client.post(LOGIN, json=body)
    assert (await rig.client.post(LOGOUT, headers=headers)).status_code == 403
    assert (await rig.client.get(ME)).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://rensai.test", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "http://192.168.1.5:3000", "Host": "192.168.1.5:3000"},
    ],
    ids=str,
)
async def test_the_site_itself_can_by_whatever_name_it_was_reached(
    rig: Rig, headers: dict[str, str]
) -> None:
    await an_admin(rig.db)
    body = {"login": "ada", "password": PASSWORD}
    assert (await rig.client.post(LOGIN, json=body, headers=headers)).status_code == 200
