"""`/wp-json/novel/v1/auth`, as an app meets it that was written from the contract alone."""

import asyncio
import json
from base64 import urlsafe_b64decode
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest

from rensai.kit.clock import SetClock
from rensai.kit.db import Command, Database, Query
from rensai.rooms.readers.adapters.access_tokens import keys_of
from rensai.rooms.readers.service.devices import end_devices
from tests.rig import Rig, build_services
from tests.rooms.readers.accounts import PASSWORD, an_admin

pytestmark = pytest.mark.anyio

AUTH = "/wp-json/novel/v1/auth"
ME = "/api/v1/auth/me"
READER = {"username": "reader1", "email": "reader1@example.com", "password": PASSWORD}

_REFRESH = Query(
    """
    SELECT concat_ws(' ', revoked_at IS NULL, replaced_by IS NULL) AS state
    FROM refresh_tokens ORDER BY id
    """,
    str,
)
_SECRETS = Query("SELECT row_to_json(t)::text AS row FROM refresh_tokens AS t", str)
_BAN = Command("UPDATE users SET is_banned = true")
_CLOSE = Command("UPDATE users SET is_active = false")
_NEW_PASSWORD = Command("UPDATE users SET password_changed_at = $1")


async def register(rig: Rig, **fields: str) -> dict[str, str]:
    answer = await rig.post(f"{AUTH}/register", json=READER | fields)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def login(rig: Rig, **fields: str) -> dict[str, str]:
    body = {"login": "reader1", "password": PASSWORD} | fields
    answer = await rig.post(f"{AUTH}/login", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def refresh(rig: Rig, token: str) -> httpx.Response:
    return await rig.post(f"{AUTH}/refresh", json={"refresh_token": token})


async def works(rig: Rig, access_token: str) -> bool:
    answer = await rig.get(ME, headers={"Authorization": f"Bearer {access_token}"})
    assert answer.status_code in {200, 401}
    return answer.status_code == 200


def claims_of(token: str) -> dict[str, object]:
    part = token.split(".")[1]
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def assert_refused(answer: httpx.Response, status: int, code: str) -> None:
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["code"] == code


async def test_who_registers_is_signed_in_and_gets_twelve_words(rig: Rig) -> None:
    told = await register(rig, display_name="A Reader")
    assert set(told) == {
        "user_id",
        "username",
        "access_token",
        "refresh_token",
        "expires_at",
        "recovery_phrase",
    }
    assert len(told["recovery_phrase"].split()) == 12
    claims = claims_of(told["access_token"])
    assert claims["sub"] == told["user_id"]
    assert (claims["username"], claims["type"]) == ("reader1", "access")
    assert claims["exp"] == int(claims["iat"]) + 7 * 86400  # type: ignore[call-overload]
    assert datetime.fromisoformat(told["expires_at"]).timestamp() == claims["exp"]
    me = await rig.get(ME, headers={"Authorization": f"Bearer {told['access_token']}"})
    assert (me.json()["displayName"], me.json()["role"]) == ("A Reader", "user")


async def test_no_answer_with_tokens_is_kept_by_anybody(rig: Rig) -> None:
    answer = await rig.post(f"{AUTH}/register", json=READER)
    again = await rig.post(f"{AUTH}/login", json={"login": "reader1", "password": PASSWORD})
    third = await refresh(rig, again.json()["refresh_token"])
    for each in (answer, again, third):
        assert each.headers["cache-control"] == "private, no-store"
        assert "set-cookie" not in each.headers


async def test_signing_in_by_name_or_address_gives_a_fresh_pair(rig: Rig) -> None:
    first = await register(rig)
    second = await login(rig, login="READER1@example.com")
    assert set(second) == {"user_id", "username", "access_token", "refresh_token", "expires_at"}
    assert second["user_id"] == first["user_id"]
    assert await works(rig, second["access_token"])


async def test_an_exchange_uses_the_token_up(rig: Rig) -> None:
    first = await register(rig)
    answer = await refresh(rig, first["refresh_token"])
    assert answer.status_code == 200
    told = answer.json()
    assert set(told) == {"access_token", "refresh_token", "expires_at"}
    assert told["refresh_token"] != first["refresh_token"]
    assert await works(rig, told["access_token"])
    assert await works(rig, first["access_token"]), "the access token before is still good"
    assert_refused(await refresh(rig, first["refresh_token"]), 401, "refresh_token_invalid")
    assert (await refresh(rig, told["refresh_token"])).status_code == 200


async def test_of_two_exchanges_at_once_one_wins_and_stays_signed_in(rig: Rig) -> None:
    first = await register(rig)
    answers = await asyncio.gather(*(refresh(rig, first["refresh_token"]) for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [401] * 7
    winner = next(answer for answer in answers if answer.status_code == 200).json()
    assert await works(rig, winner["access_token"])
    assert (await refresh(rig, winner["refresh_token"])).status_code == 200


async def test_a_token_that_comes_twice_signs_the_whole_device_out(rig: Rig) -> None:
    first = await register(rig)
    second = (await refresh(rig, first["refresh_token"])).json()
    rig.clock.advance(timedelta(seconds=11))
    assert_refused(await refresh(rig, first["refresh_token"]), 401, "refresh_token_invalid")
    assert not await works(rig, second["access_token"])
    assert not await works(rig, first["access_token"])
    assert_refused(await refresh(rig, second["refresh_token"]), 401, "refresh_token_invalid")


async def test_one_account_has_one_refresh_token_and_the_one_before_is_revoked(rig: Rig) -> None:
    first = await register(rig)
    second = await login(rig)
    assert await rig.db.primary.all(_REFRESH) == ["f t", "t t"]
    assert_refused(await refresh(rig, first["refresh_token"]), 401, "refresh_token_invalid")
    assert await works(rig, first["access_token"]), "as the contract says: until it ends"
    assert await works(rig, second["access_token"])
    rig.clock.advance(timedelta(days=7, seconds=1))
    assert (await refresh(rig, second["refresh_token"])).status_code == 200


async def test_people_who_sign_in_at_once_end_up_with_one_token(rig: Rig) -> None:
    await register(rig)
    told = await asyncio.gather(*(login(rig) for _ in range(4)))
    answers = [await refresh(rig, each["refresh_token"]) for each in told]
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401]


async def test_a_site_may_allow_more_devices_and_the_same_device_counts_once(
    database: Database, tmp_path: Path, clock: SetClock
) -> None:
    services = build_services(database, tmp_path, clock, REFRESH_TOKENS_PER_ACCOUNT="2")
    async with Rig(services, clock) as rig:
        phone = await register(rig, device_id="phone")
        clock.advance(timedelta(seconds=1))
        tablet = await login(rig, device_id="tablet")
        clock.advance(timedelta(seconds=1))
        again = await login(rig, device_id="tablet")
        assert (await refresh(rig, tablet["refresh_token"])).status_code == 401
        phone = (await refresh(rig, phone["refresh_token"])).json()
        clock.advance(timedelta(seconds=1))
        await login(rig, device_id="desk")
        assert (await refresh(rig, again["refresh_token"])).status_code == 401
        assert (await refresh(rig, phone["refresh_token"])).status_code == 200


async def test_signing_out_ends_the_device_and_may_be_repeated(rig: Rig) -> None:
    told = await register(rig)
    body = {"refresh_token": told["refresh_token"]}
    for _ in range(2):
        assert (await rig.post(f"{AUTH}/logout", json=body)).status_code == 204
    assert not await works(rig, told["access_token"])
    assert_refused(await refresh(rig, told["refresh_token"]), 401, "refresh_token_invalid")
    assert (await rig.post(f"{AUTH}/logout", json={"refresh_token": "x"})).status_code == 204


async def test_tokens_end_with_their_time(rig: Rig) -> None:
    told = await register(rig)
    rig.clock.advance(timedelta(days=7))
    answer = await rig.get(ME, headers={"Authorization": f"Bearer {told['access_token']}"})
    assert (answer.status_code, answer.json()["code"]) == (401, "AUTH_REQUIRED")
    rig.clock.advance(timedelta(days=23))
    assert_refused(await refresh(rig, told["refresh_token"]), 401, "refresh_token_invalid")


@pytest.mark.parametrize("closing", [_BAN, _CLOSE], ids=["banned", "closed"])
async def test_a_closed_account_is_out_at_once(rig: Rig, closing: Command) -> None:
    told = await register(rig)
    async with rig.db.transaction() as tx:
        await tx.run(closing)
    assert not await works(rig, told["access_token"])
    assert_refused(await refresh(rig, told["refresh_token"]), 401, "refresh_token_invalid")
    answer = await rig.post(f"{AUTH}/login", json={"login": "reader1", "password": PASSWORD})
    assert_refused(answer, 403, "permission_denied")


async def test_a_changed_password_ends_every_device_but_the_one_it_was_changed_on(
    database: Database, tmp_path: Path, clock: SetClock
) -> None:
    services = build_services(database, tmp_path, clock, REFRESH_TOKENS_PER_ACCOUNT="2")
    async with Rig(services, clock) as rig:
        kept, other = await register(rig), await login(rig)
        session = keys_of(services.config.access_secrets).read(kept["access_token"]).sid
        clock.advance(timedelta(seconds=2))
        async with rig.db.transaction() as tx:
            await tx.run(_NEW_PASSWORD, clock.now())
            user_id = int(kept["user_id"])
            await end_devices(tx, user_id, clock.now(), but=session, with_tokens=True)
        assert not await works(rig, other["access_token"])
        assert_refused(await refresh(rig, other["refresh_token"]), 401, "refresh_token_invalid")
        assert not await works(rig, kept["access_token"]), "it was given out before"
        told = (await refresh(rig, kept["refresh_token"])).json()
        assert await works(rig, told["access_token"])
        assert await works(rig, (await login(rig))["access_token"])


async def test_only_hashes_are_stored(rig: Rig) -> None:
    told = await register(rig, device_id="phone")
    await refresh(rig, told["refresh_token"])
    rows = " ".join(await rig.db.primary.all(_SECRETS))
    assert told["refresh_token"] not in rows
    assert told["refresh_token"].removeprefix("rsr_") not in rows
    assert "127.0.0.1" not in rows


async def test_who_guesses_refresh_tokens_must_wait(rig: Rig) -> None:
    told = await register(rig)
    for number in range(30):
        guess = f"rsr_{number:043}"
        assert_refused(await refresh(rig, guess), 401, "refresh_token_invalid")
    refused = await refresh(rig, "rsr_" + "x" * 43)
    assert_refused(refused, 429, "rate_limited")
    assert int(refused.headers["Retry-After"]) > 0
    assert (await refresh(rig, told["refresh_token"])).status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        {"username": "re"},
        {"username": "r" * 61},
        {"username": "reader one"},
        {"username": "<script>"},
        {"email": "reader1"},
        {"email": "a@b\u0000c"},
        {"password": "7 chars"},
        {"password": "x" * 129},
        {"password": "password123"},
        {"password": "reader1@example.com"},
        {"display_name": ""},
        {"display_name": "x" * 101},
        {"display_name": "two\nlines"},
        {"role": "admin"},
        {"is_admin": True},
        {"username": None},
    ],
    ids=str,
)
async def test_what_cannot_be_an_account_is_refused(rig: Rig, change: dict[str, object]) -> None:
    answer = await rig.post(f"{AUTH}/register", json=READER | change)
    assert_refused(answer, 400, "invalid_schema")
    assert PASSWORD not in answer.text


@pytest.mark.parametrize(
    "change",
    [{"email": "other@example.com"}, {"username": "other"}, {"email": "READER1@EXAMPLE.com"}],
)
async def test_a_name_or_address_is_taken_once(rig: Rig, change: dict[str, str]) -> None:
    await register(rig)
    answer = await rig.post(f"{AUTH}/register", json=READER | change)
    assert_refused(answer, 409, "user_exists")


async def test_of_two_who_want_one_name_at_once_one_gets_it(rig: Rig) -> None:
    answers = await asyncio.gather(*(rig.post(f"{AUTH}/register", json=READER) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409]


async def test_a_closed_site_takes_nobody(
    database: Database, tmp_path: Path, clock: SetClock
) -> None:
    services = build_services(database, tmp_path, clock, ENABLE_REGISTRATION="false")
    async with Rig(services, clock) as rig:
        answer = await rig.post(f"{AUTH}/register", json=READER)
        assert_refused(answer, 403, "permission_denied")


async def test_thirty_accounts_an_hour_are_enough_for_one_address(rig: Rig) -> None:
    body = READER | {"username": "no name?"}
    for _ in range(30):
        assert_refused(await rig.post(f"{AUTH}/register", json=body), 400, "invalid_schema")
    refused = await rig.post(f"{AUTH}/register", json=READER)
    assert_refused(refused, 429, "rate_limited")
    assert int(refused.headers["Retry-After"]) > 3000
    other = rig.visitor("198.51.100.7")
    assert (await other.post(f"{AUTH}/register", json=READER)).status_code == 201


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"login": "ada", "password": "wrong"}, 401, "invalid_credentials"),
        ({"login": "nobody", "password": PASSWORD}, 401, "invalid_credentials"),
        ({"login": "ada"}, 400, "invalid_schema"),
        ({"login": "ada", "password": PASSWORD, "remember": True}, 400, "invalid_schema"),
        ({"login": 7, "password": PASSWORD}, 400, "invalid_schema"),
        ({"login": "ada", "password": PASSWORD, "device_id": ""}, 400, "invalid_schema"),
    ],
    ids=lambda part: str(part)[:40],
)
async def test_bad_credentials_and_bad_bodies_are_told_apart(
    rig: Rig, body: object, status: int, code: str
) -> None:
    await an_admin(rig.db)
    assert_refused(await rig.post(f"{AUTH}/login", json=body), status, code)


async def test_the_limit_on_signing_in_is_one_for_all_doors(rig: Rig) -> None:
    await an_admin(rig.db)
    for _ in range(5):
        await rig.post(f"{AUTH}/login", json={"login": "ada", "password": "wrong"})
        await rig.post("/api/v1/auth/login", json={"login": "ada", "password": "wrong"})
    refused = await rig.post(f"{AUTH}/login", json={"login": "ada", "password": PASSWORD})
    assert_refused(refused, 429, "rate_limited")
    assert int(refused.headers["Retry-After"]) > 0
