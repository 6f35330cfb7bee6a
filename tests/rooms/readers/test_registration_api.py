"""Making an account, and coming back into it by its twelve words, over `/api/v1/auth`."""

import asyncio
from pathlib import Path

import httpx
import pytest

from rensai.kit.clock import SetClock
from rensai.kit.db import Command, Database, Query
from rensai.rooms.readers.adapters import portable
from tests.rig import Rig, build_services
from tests.rooms.readers.accounts import PASSWORD

pytestmark = pytest.mark.anyio

REGISTER = "/api/v1/auth/register"
RECOVER = "/api/v1/auth/recover"
LOGIN = "/api/v1/auth/login"
ME = "/api/v1/auth/me"
READER = {"username": "reader1", "email": "reader1@example.com", "password": PASSWORD}
NEW = {
    "newUsername": "reborn",
    "newEmail": "reborn@example.com",
    "newPassword": "another long password",
}

_ROW = Query("SELECT row_to_json(users)::text AS row FROM users ORDER BY id", str)
_FINGERPRINT = Query("SELECT portable_key_fingerprint AS found FROM users", str)
_URIS = Query("SELECT array_to_string(known_actor_uris, ' ') AS found FROM users", str)
_VERIFY = Command("UPDATE users SET email_verified = true, role = 'moderator', bio = 'Hello.'")
_ACTOR = Command("UPDATE users SET actor_uri = $1, known_actor_uris = $2")
_BAN = Command("UPDATE users SET is_banned = true")


async def register(rig: Rig, **change: str) -> dict[str, str]:
    answer = await rig.visitor().post(REGISTER, json=READER | change)
    assert answer.status_code == 201, answer.text
    return answer.json()


def assert_refused(answer: httpx.Response, status: int, code: str) -> None:
    assert answer.status_code == status, answer.text
    assert answer.json()["code"] == code
    assert "rensai_session" not in answer.cookies


async def test_who_registers_is_signed_in_and_sees_twelve_words_once(rig: Rig) -> None:
    answer = await rig.post(REGISTER, json=READER | {"displayName": "  <b>Reader</b> "})
    assert answer.status_code == 201
    account = answer.json()
    words = account.pop("mnemonic")
    assert len(words.split()) == 12
    assert account == (await rig.get(ME)).json()
    assert (account["displayName"], account["role"]) == ("<b>Reader</b>", "user")
    assert answer.headers["cache-control"] == "private, no-store"
    assert await rig.db.primary.first(_FINGERPRINT) == portable.identity_of(words).fingerprint
    stored = " ".join(await rig.db.primary.all(_ROW))
    assert words not in stored
    assert PASSWORD not in stored


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"username": "a"}, "VALIDATION_ERROR"),
        ({"username": "Ádám"}, "VALIDATION_ERROR"),
        ({"email": "no address"}, "VALIDATION_ERROR"),
        ({"password": "short"}, "VALIDATION_ERROR"),
        ({"displayName": "two\nlines"}, "VALIDATION_ERROR"),
        ({"role": "admin"}, "VALIDATION_ERROR"),
        ({"emailVerified": True}, "VALIDATION_ERROR"),
        ({"id": 1}, "VALIDATION_ERROR"),
        ({"password": "Password123"}, "PASSWORD_BREACHED"),
        ({"password": "iloveyou1"}, "PASSWORD_BREACHED"),
        ({"username": "longenough", "password": "LongEnough"}, "PASSWORD_BREACHED"),
        ({"password": "reader1@example.com"}, "PASSWORD_BREACHED"),
        ({"email": "somebody@example.com", "password": "somebody"}, "PASSWORD_BREACHED"),
    ],
    ids=str,
)
async def test_what_cannot_be_an_account_is_refused(
    rig: Rig, change: dict[str, object], code: str
) -> None:
    assert_refused(await rig.post(REGISTER, json=READER | change), 422, code)
    assert await rig.db.primary.all(_ROW) == []


async def test_a_taken_name_is_refused(rig: Rig) -> None:
    await register(rig)
    answer = await rig.post(REGISTER, json=READER | {"email": "other@example.com"})
    assert_refused(answer, 409, "NAME_TAKEN")


async def test_a_closed_site_takes_nobody(
    database: Database, tmp_path: Path, clock: SetClock
) -> None:
    services = build_services(database, tmp_path, clock, ENABLE_REGISTRATION="false")
    async with Rig(services, clock) as rig:
        assert_refused(await rig.post(REGISTER, json=READER), 403, "REGISTRATION_CLOSED")


@pytest.mark.parametrize("path", [REGISTER, RECOVER])
async def test_another_site_can_make_nobody_an_account(rig: Rig, path: str) -> None:
    body = READER if path == REGISTER else NEW | {"mnemonic": portable.new_phrase()}
    answer = await rig.post(path, json=body, headers={"Origin": "https://evil.example"})
    assert_refused(answer, 403, "FOREIGN_FORM")


async def test_the_words_open_the_account_again_with_new_credentials(rig: Rig) -> None:
    made = await register(rig)
    async with rig.db.transaction() as tx:
        await tx.run(_VERIFY)
    answer = await rig.post(RECOVER, json=NEW | {"mnemonic": made["mnemonic"]})
    assert answer.status_code == 200, answer.text
    account = answer.json()
    assert account["id"] == made["id"], "it is the same account, with all that it has"
    assert (account["username"], account["email"]) == ("reborn", "reborn@example.com")
    assert (account["role"], account["bio"]) == ("moderator", "Hello.")
    assert account["emailVerified"] is False, "nobody has seen the new address yet"
    assert (await rig.get(ME)).json() == account
    old = {"login": "reader1", "password": PASSWORD}
    assert (await rig.visitor().post(LOGIN, json=old)).status_code == 401
    new = {"login": "reborn", "password": NEW["newPassword"]}
    assert (await rig.visitor().post(LOGIN, json=new)).status_code == 200
    again = NEW | {"mnemonic": made["mnemonic"], "newUsername": "thrice"}
    assert (await rig.post(RECOVER, json=again)).status_code == 200, "the words stay good"


async def test_whatever_was_signed_in_before_is_out(rig: Rig) -> None:
    browser = rig.visitor()
    made = (await browser.post(REGISTER, json=READER)).json()
    token = (await browser.post("/api/v1/auth/tokens", json={"name": "t"})).json()["token"]
    novel = {"login": "reader1", "password": PASSWORD}
    app = (await rig.post("/wp-json/novel/v1/auth/login", json=novel)).json()
    recovered = await rig.post(RECOVER, json=NEW | {"mnemonic": made["mnemonic"]})
    assert recovered.status_code == 200
    assert (await browser.get(ME)).status_code == 401
    for bearer in (token, app["access_token"]):
        answer = await rig.visitor().get(ME, headers={"Authorization": f"Bearer {bearer}"})
        assert answer.status_code == 401
    body = {"refresh_token": app["refresh_token"]}
    assert (await rig.post("/wp-json/novel/v1/auth/refresh", json=body)).status_code == 401


async def test_words_are_read_however_they_were_typed(rig: Rig) -> None:
    words = (await register(rig))["mnemonic"]
    typed = "\n " + words.upper().replace(" ", "  \t") + " "
    assert (await rig.post(RECOVER, json=NEW | {"mnemonic": typed})).status_code == 200


@pytest.mark.parametrize(
    "words",
    [
        "abandon " * 12,
        "abandon " * 11,
        "twelve words that were never on any list of words at all",
        "x",
        "Ω " * 12,
        "a" * 500,
    ],
)
async def test_what_is_no_phrase_is_told_so(rig: Rig, words: str) -> None:
    answer = await rig.post(RECOVER, json=NEW | {"mnemonic": words})
    assert_refused(answer, 400, "INVALID_MNEMONIC")
    assert words not in answer.text


async def test_words_of_nobody_here_are_told_so(rig: Rig) -> None:
    answer = await rig.post(RECOVER, json=NEW | {"mnemonic": portable.new_phrase()})
    assert_refused(answer, 404, "FINGERPRINT_NOT_FOUND")


async def test_the_same_name_may_be_kept_and_that_of_another_not_taken(rig: Rig) -> None:
    made = await register(rig)
    await register(rig, username="other", email="other@example.com")
    body = NEW | {"mnemonic": made["mnemonic"]}
    for change in ({"newUsername": "OTHER"}, {"newEmail": "Other@example.com"}):
        assert_refused(await rig.post(RECOVER, json=body | change), 409, "NAME_TAKEN")
    kept = body | {"newUsername": "reader1", "newEmail": "reader1@example.com"}
    assert (await rig.post(RECOVER, json=kept)).status_code == 200


async def test_a_name_that_two_come_back_by_at_once_goes_to_one(rig: Rig) -> None:
    first = await register(rig)
    second = await register(rig, username="other", email="other@example.com")
    answers = await asyncio.gather(
        *(rig.post(RECOVER, json=NEW | {"mnemonic": made["mnemonic"]}) for made in (first, second))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert refused.json()["code"] == "NAME_TAKEN"


async def test_the_address_in_the_fediverse_stays_known_when_the_name_changes(rig: Rig) -> None:
    made = await register(rig)
    uris = ("https://rensai.test/users/reader1", ["https://old.example/users/r"])
    async with rig.db.transaction() as tx:
        await tx.run(_ACTOR, *uris)
    body = NEW | {"mnemonic": made["mnemonic"]}
    for name in ("reader1", "reborn", "reborn"):
        assert (await rig.post(RECOVER, json=body | {"newUsername": name})).status_code == 200
        expected = uris[1] if name == "reader1" else [uris[0], *uris[1]]
        assert await rig.db.primary.first(_URIS) == " ".join(expected)


async def test_a_banned_account_stays_out(rig: Rig) -> None:
    made = await register(rig)
    async with rig.db.transaction() as tx:
        await tx.run(_BAN)
    answer = await rig.post(RECOVER, json=NEW | {"mnemonic": made["mnemonic"]})
    assert_refused(answer, 403, "ACCOUNT_CLOSED")


async def test_who_guesses_words_must_wait(rig: Rig) -> None:
    body = NEW | {"mnemonic": "abandon " * 12}
    for _ in range(10):
        assert_refused(await rig.post(RECOVER, json=body), 400, "INVALID_MNEMONIC")
    assert_refused(await rig.post(RECOVER, json=body), 429, "RATE_LIMITED")


async def test_the_session_of_before_ends_when_somebody_registers_in_its_browser(rig: Rig) -> None:
    await rig.post(REGISTER, json=READER)
    before = rig.client.cookies["rensai_session"]
    await rig.post(REGISTER, json=READER | {"username": "other", "email": "other@example.com"})
    answer = await rig.visitor().get(ME, headers={"Cookie": f"rensai_session={before}"})
    assert answer.status_code == 401
