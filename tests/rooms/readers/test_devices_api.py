"""Devices that are signed in: one list over cookies and apps, and signing them out."""

from datetime import timedelta
from uuid import uuid4

import httpx
import pytest

from tests.rig import Rig
from tests.rooms.readers.accounts import PASSWORD
from tests.rooms.readers.test_registration_api import ME
from tests.rooms.readers.test_tokens_api import a_reader, by, make

pytestmark = pytest.mark.anyio

SESSIONS = "/api/v1/auth/sessions"
NOVEL = "/wp-json/novel/v1/auth"
LOGIN = {"login": "reader1", "password": PASSWORD}


async def an_app(rig: Rig, **fields: str) -> dict[str, str]:
    answer = await rig.visitor("203.0.113.77").post(
        f"{NOVEL}/login", json=LOGIN | fields, headers={"User-Agent": "Reader/2 \x7f(phone)"}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


async def devices(visitor: httpx.AsyncClient, **headers: str) -> list[dict[str, object]]:
    answer = await visitor.get(SESSIONS, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]


async def test_browsers_and_apps_are_in_one_list_newest_first(rig: Rig) -> None:
    browser = await a_reader(rig)
    rig.clock.advance(timedelta(minutes=1))
    app = await an_app(rig, device_id="my phone")
    listed = await devices(browser)
    assert [(item["kind"], item["current"]) for item in listed] == [
        ("app", False),
        ("browser", True),
    ]
    assert listed[0] == {
        "id": listed[0]["id"],
        "kind": "app",
        "agent": "Reader/2  (phone)",
        "network": "203.0.113.0/24",
        "deviceId": "my phone",
        "createdAt": listed[0]["createdAt"],
        "lastUsedAt": listed[0]["createdAt"],
        "expiresAt": listed[0]["expiresAt"],
        "current": False,
    }
    by_app = await devices(rig.visitor(), **by(app["access_token"]))
    assert [item["current"] for item in by_app] == [True, False]


async def test_a_device_that_is_signed_out_is_out_at_once(rig: Rig) -> None:
    browser = await a_reader(rig)
    app = await an_app(rig)
    rig.clock.advance(timedelta(seconds=1))
    other = rig.visitor()
    await other.post("/api/v1/auth/login", json=LOGIN)
    for item in await devices(browser):
        if not item["current"]:
            assert (await browser.delete(f"{SESSIONS}/{item['id']}")).status_code == 204
            assert (await browser.delete(f"{SESSIONS}/{item['id']}")).status_code == 404
    assert (await other.get(ME)).status_code == 401
    assert (await rig.get(ME, headers=by(app["access_token"]))).status_code == 401
    body = {"refresh_token": app["refresh_token"]}
    assert (await rig.post(f"{NOVEL}/refresh", json=body)).status_code == 401
    assert len(await devices(browser)) == 1


async def test_all_others_go_and_the_one_that_asks_stays(rig: Rig) -> None:
    browser = await a_reader(rig)
    app = await an_app(rig)
    token = (await make(browser))["token"]
    answer = await rig.visitor().delete(SESSIONS, headers=by(app["access_token"]))
    assert answer.status_code == 204
    assert (await browser.get(ME)).status_code == 401
    assert (await rig.get(ME, headers=by(app["access_token"]))).status_code == 200
    body = {"refresh_token": app["refresh_token"]}
    assert (await rig.post(f"{NOVEL}/refresh", json=body)).status_code == 200
    assert (await rig.get(ME, headers=by(token))).status_code == 200, "tokens have a list of theirs"
    assert (await rig.visitor().delete(SESSIONS, headers=by(token))).status_code == 204
    assert (await rig.get(ME, headers=by(app["access_token"]))).status_code == 401


async def test_another_accounts_device_is_not_there(rig: Rig) -> None:
    reader, other = await a_reader(rig), await a_reader(rig, "other")
    (own,) = await devices(reader)
    theirs = await other.delete(f"{SESSIONS}/{own['id']}")
    nobodys = await other.delete(f"{SESSIONS}/{uuid4()}")
    assert theirs.status_code == nobodys.status_code == 404
    assert theirs.json() == nobodys.json()
    assert (await reader.get(ME)).status_code == 200
    assert len(await devices(other)) == 1


async def test_a_displaced_app_stays_in_the_list_until_its_access_token_ends(rig: Rig) -> None:
    browser = await a_reader(rig)
    first = await an_app(rig)
    rig.clock.advance(timedelta(days=1))
    await an_app(rig)
    assert len(await devices(browser)) == 3
    listed = await devices(rig.visitor(), **by(first["access_token"]))
    (old,) = [item for item in listed if item["current"]]
    assert str(old["expiresAt"])[:19] == first["expires_at"][:19]
    await browser.delete(f"{SESSIONS}/{old['id']}")
    assert (await rig.get(ME, headers=by(first["access_token"]))).status_code == 401


async def test_signing_out_over_the_api_ends_the_app_that_asks(rig: Rig) -> None:
    browser = await a_reader(rig)
    app = await an_app(rig)
    answer = await rig.visitor().post("/api/v1/auth/logout", headers=by(app["access_token"]))
    assert answer.status_code == 204
    assert (await rig.get(ME, headers=by(app["access_token"]))).status_code == 401
    assert [item["kind"] for item in await devices(browser)] == ["browser"]


async def test_pages_lose_and_repeat_nothing(rig: Rig) -> None:
    reader = await a_reader(rig)
    for number in range(6):
        visitor = rig.visitor(f"198.51.100.{number}")
        assert (await visitor.post("/api/v1/auth/login", json=LOGIN)).status_code == 200
    whole = [item["id"] for item in await devices(reader)]
    assert len(whole) == 7
    seen: list[str] = []
    asked = {"limit": "2"}
    while True:
        page = (await reader.get(SESSIONS, params=asked)).json()
        seen += [item["id"] for item in page["items"]]
        if not page["hasMore"]:
            break
        asked = {"limit": "2", "cursor": page["nextCursor"]}
    assert seen == whole
