"""Passwords and addresses, changed by whoever owns the account."""

import asyncio
from datetime import timedelta

import pytest

from tests.rig import Rig
from tests.rooms.readers.people import PASSWORD, a_person, browser_of, signed_in

pytestmark = pytest.mark.anyio

CHANGE = "/api/v1/auth/password"
EMAIL = "/api/v1/auth/email"
LOGIN = "/api/v1/auth/login"
ME = "/api/v1/users/me"
NOVEL_LOGIN = "/wp-json/novel/v1/auth/login"
NOVEL_REFRESH = "/wp-json/novel/v1/auth/refresh"
NOVEL_SETTINGS = "/wp-json/novel/v1/me/settings"
NEW = "quite another password"


async def test_a_new_password_signs_out_everything_but_who_set_it(rig: Rig) -> None:
    await a_person(rig.db, rig.clock)
    here, elsewhere = await browser_of(rig, "bea"), await browser_of(rig, "bea")
    app = (await rig.post(NOVEL_LOGIN, json={"login": "bea", "password": PASSWORD})).json()
    rig.clock.advance(timedelta(seconds=2))
    body = {"currentPassword": PASSWORD, "newPassword": NEW}
    assert (await here.post(CHANGE, json=body)).status_code == 204
    assert (await here.get(ME)).status_code == 200
    assert (await elsewhere.get(ME)).status_code == 401
    bearer = {"Authorization": f"Bearer {app['access_token']}"}
    assert (await rig.get(NOVEL_SETTINGS, headers=bearer)).status_code == 401
    refreshed = await rig.post(NOVEL_REFRESH, json={"refresh_token": app["refresh_token"]})
    assert refreshed.status_code == 401
    old = await rig.post(LOGIN, json={"login": "bea", "password": PASSWORD})
    assert old.json()["code"] == "INVALID_CREDENTIALS"
    assert (await rig.post(LOGIN, json={"login": "bea", "password": NEW})).status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"currentPassword": "wrong", "newPassword": NEW}, 403, "WRONG_PASSWORD"),
        ({"currentPassword": PASSWORD, "newPassword": "short"}, 422, "VALIDATION_ERROR"),
        ({"currentPassword": PASSWORD, "newPassword": "x" * 129}, 422, "VALIDATION_ERROR"),
        ({"currentPassword": PASSWORD, "newPassword": "password1"}, 422, "PASSWORD_BREACHED"),
        (
            {"currentPassword": PASSWORD, "newPassword": "bea@example.com"},
            422,
            "PASSWORD_BREACHED",
        ),
        ({"newPassword": NEW}, 422, "VALIDATION_ERROR"),
        (
            {"currentPassword": PASSWORD, "newPassword": NEW, "role": "admin"},
            422,
            "VALIDATION_ERROR",
        ),
    ],
    ids=lambda part: str(part)[:30],
)
async def test_no_password_is_changed_without_the_old_one_or_to_a_bad_one(
    rig: Rig, body: dict[str, str], status: int, code: str
) -> None:
    bea = await signed_in(rig)
    answer = await bea.post(CHANGE, json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert PASSWORD not in answer.text
    assert (await rig.post(LOGIN, json={"login": "bea", "password": PASSWORD})).status_code == 200


async def test_a_session_that_was_left_open_is_no_way_to_guess_the_password(rig: Rig) -> None:
    bea = await signed_in(rig)
    for _ in range(10):
        wrong = await bea.post(CHANGE, json={"currentPassword": "guess", "newPassword": NEW})
        assert wrong.status_code == 403
    right = {"currentPassword": PASSWORD, "newPassword": NEW}
    answer = await bea.post(CHANGE, json=right)
    assert answer.status_code == 429
    for path, body in ((EMAIL, {"email": "x@example.com", "password": PASSWORD}),):
        assert (await bea.post(path, json=body)).status_code == 429
    rig.clock.advance(timedelta(minutes=16))
    assert (await bea.post(CHANGE, json=right)).status_code == 204


async def test_of_two_new_passwords_at_once_one_counts(rig: Rig) -> None:
    await a_person(rig.db, rig.clock)
    one, other = await browser_of(rig, "bea"), await browser_of(rig, "bea")
    answers = await asyncio.gather(
        one.post(CHANGE, json={"currentPassword": PASSWORD, "newPassword": NEW + " 1"}),
        other.post(CHANGE, json={"currentPassword": PASSWORD, "newPassword": NEW + " 2"}),
    )
    assert sorted(answer.status_code for answer in answers)[0] == 204
    good = [
        password
        for password in (NEW + " 1", NEW + " 2", PASSWORD)
        if (await rig.post(LOGIN, json={"login": "bea", "password": password})).status_code == 200
    ]
    assert len(good) == 1
    assert good != [PASSWORD]
    assert [(await each.get(ME)).status_code for each in (one, other)].count(200) == 1


async def test_another_address_counts_at_once_and_is_not_confirmed(rig: Rig) -> None:
    bea = await signed_in(rig)
    answer = await bea.post(EMAIL, json={"email": "New@example.com", "password": PASSWORD})
    assert answer.status_code == 200, answer.text
    assert answer.json()["email"] == "New@example.com"
    assert answer.json()["emailVerified"] is False
    by_old = await rig.post(LOGIN, json={"email": "bea@example.com", "password": PASSWORD})
    assert by_old.status_code == 401
    by_new = await rig.post(LOGIN, json={"email": "new@example.com", "password": PASSWORD})
    assert by_new.status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"email": "cleo@example.com", "password": PASSWORD}, 409, "NAME_TAKEN"),
        ({"email": "CLEO@Example.com", "password": PASSWORD}, 409, "NAME_TAKEN"),
        ({"email": "x@example.com", "password": "wrong"}, 403, "WRONG_PASSWORD"),
        ({"email": "x@example.com"}, 422, "VALIDATION_ERROR"),
        ({"email": "no address", "password": PASSWORD}, 422, "VALIDATION_ERROR"),
        ({"email": "a@b\r\nBcc: c@d", "password": PASSWORD}, 422, "VALIDATION_ERROR"),
        ({"email": "x" * 250 + "@b.c", "password": PASSWORD}, 422, "VALIDATION_ERROR"),
    ],
    ids=lambda part: str(part)[:30],
)
async def test_an_address_that_is_none_or_anothers_is_refused(
    rig: Rig, body: dict[str, str], status: int, code: str
) -> None:
    bea = await signed_in(rig)
    await a_person(rig.db, rig.clock, "cleo")
    answer = await bea.post(EMAIL, json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert (await bea.get(ME)).json()["email"] == "bea@example.com"


async def test_two_who_want_one_address_at_once_do_not_both_get_it(rig: Rig) -> None:
    bea, cleo = await signed_in(rig), await signed_in(rig, "cleo")
    answers = await asyncio.gather(
        *(
            each.post(EMAIL, json={"email": "one@example.com", "password": PASSWORD})
            for each in (bea, cleo)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409]


async def test_none_of_it_is_for_those_who_have_not_signed_in(rig: Rig) -> None:
    for path, body in (
        (CHANGE, {"currentPassword": PASSWORD, "newPassword": NEW}),
        (EMAIL, {"email": "x@example.com", "password": PASSWORD}),
    ):
        answer = await rig.post(path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (401, "AUTH_REQUIRED")
