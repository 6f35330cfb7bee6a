"""The end of an account, by its owner or by those who run the site."""

import asyncio

import pytest

from rensai.kit.db import Query
from rensai.rooms.readers.errors import NameTaken
from tests.rig import Rig
from tests.rooms.readers.people import PASSWORD, a_person, browser_of, signed_in

pytestmark = pytest.mark.anyio

ME = "/api/v1/users/me"
LOGIN = "/api/v1/auth/login"
NOVEL_LOGIN = "/wp-json/novel/v1/auth/login"
NOVEL_REFRESH = "/wp-json/novel/v1/auth/refresh"
BODY = {"password": PASSWORD}
_ROW = Query("SELECT row_to_json(users)::text AS row FROM users WHERE id = $1", str)
_LEFT = Query(
    """
    SELECT relation FROM (
        SELECT 'sessions' AS relation, count(*) AS rows FROM sessions WHERE user_id = $1
        UNION ALL SELECT 'api_tokens', count(*) FROM api_tokens WHERE user_id = $1
        UNION ALL SELECT 'refresh_tokens', count(*) FROM refresh_tokens WHERE user_id = $1
        UNION ALL SELECT 'reader_settings', count(*) FROM reader_settings WHERE user_id = $1
        UNION ALL SELECT 'mutes', count(*) FROM mutes WHERE user_id = $1
        UNION ALL SELECT 'letter_marks', count(*) FROM letter_marks WHERE user_id = $1
        UNION ALL SELECT 'transfers', count(*) FROM transfers WHERE user_id = $1
    ) AS counted WHERE rows > 0
    """,
    str,
)
_TOLD = Query(
    "SELECT count(*) AS count FROM tasks.pgqueuer WHERE entrypoint = 'readers.forget_archives'",
    int,
)


async def test_nothing_of_the_person_is_left(rig: Rig) -> None:
    person = await a_person(rig.db, rig.clock, "Beatrice")
    bea = await browser_of(rig, "beatrice")
    app = (await rig.post(NOVEL_LOGIN, json={"login": "beatrice", "password": PASSWORD})).json()
    await bea.patch(ME, json={"displayName": "Beatrice B.", "bio": "reads"})
    await bea.patch(f"{ME}/settings", json={"fontSize": 20})
    await bea.put(f"{ME}/mutes/tag/gore")
    await bea.post(f"{ME}/exports")
    await rig.work()
    answer = await bea.request("DELETE", ME, json=BODY)
    assert answer.status_code == 204, answer.text
    assert "max-age=0" in answer.headers["set-cookie"].lower()
    await rig.work()
    row = await rig.db.primary.first(_ROW, person.id)
    assert row is not None
    for trace in ("eatrice", "example.com", "reads", "argon2", '"portable_public_key":"'):
        assert trace not in row
    assert '"username":"deleted-' in row
    assert await rig.db.primary.all(_LEFT, person.id) == []
    assert not [path for path in rig.services.config.storage_dir.rglob("*") if path.is_file()]
    assert (await bea.get(ME)).status_code == 401
    assert (await rig.get("/api/v1/users/beatrice")).status_code == 404
    for login in ("beatrice", "beatrice@example.com"):
        refused = await rig.post(LOGIN, json={"login": login, "password": PASSWORD})
        assert refused.json()["code"] == "INVALID_CREDENTIALS"
    refreshed = await rig.post(NOVEL_REFRESH, json={"refresh_token": app["refresh_token"]})
    assert refreshed.status_code == 401


async def test_the_name_stays_nobodys_and_the_address_is_free(rig: Rig) -> None:
    bea = await signed_in(rig)
    assert (await bea.request("DELETE", ME, json=BODY)).status_code == 204
    for name in ("bea", "BEA"):
        with pytest.raises(NameTaken):
            await a_person(rig.db, rig.clock, name)
    other = await signed_in(rig, "other")
    body = {"email": "bea@example.com", "password": PASSWORD}
    assert (await other.post("/api/v1/auth/email", json=body)).status_code == 200


async def test_a_name_is_kept_also_from_who_registers_at_that_moment(rig: Rig) -> None:
    bea = await signed_in(rig)

    async def register() -> bool:
        try:
            await a_person(rig.db, rig.clock, "bea")
        except NameTaken:
            return False
        return True

    async def delete() -> bool:
        return (await bea.request("DELETE", ME, json=BODY)).status_code == 204

    done = await asyncio.gather(delete(), *(register() for _ in range(3)))
    assert done == [True, False, False, False]


async def test_other_rooms_hear_of_it_when_it_is_so_and_only_then(rig: Rig) -> None:
    bea = await signed_in(rig)
    wrong = await bea.request("DELETE", ME, json={"password": "wrong"})
    assert (wrong.status_code, wrong.json()["code"]) == (403, "WRONG_PASSWORD")
    assert await rig.db.primary.first(_TOLD) == 0
    assert (await bea.get(ME)).status_code == 200
    assert (await bea.request("DELETE", ME, json=BODY)).status_code == 204
    assert await rig.db.primary.first(_TOLD) == 1


@pytest.mark.parametrize(
    "body", [{}, {"password": ""}, {"password": 7}, {**BODY, "id": 1}], ids=str
)
async def test_it_takes_the_password_and_nothing_else(rig: Rig, body: object) -> None:
    bea = await signed_in(rig)
    assert (await bea.request("DELETE", ME, json=body)).status_code == 422
    assert (await bea.get(ME)).status_code == 200


async def test_another_site_deletes_nobody(rig: Rig) -> None:
    bea = await signed_in(rig)
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = await bea.request("DELETE", ME, json=BODY, headers=headers)
        assert answer.status_code == 403
    assert (await bea.get(ME)).status_code == 200


async def test_the_last_administrator_stays(rig: Rig) -> None:
    ada = await signed_in(rig, "ada", role="admin")
    refused = await ada.request("DELETE", ME, json=BODY)
    assert (refused.status_code, refused.json()["code"]) == (409, "LAST_ADMIN")
    await a_person(rig.db, rig.clock, "eve", role="admin")
    assert (await ada.request("DELETE", ME, json=BODY)).status_code == 204


async def test_of_two_last_administrators_who_go_at_once_one_stays(rig: Rig) -> None:
    both = [await signed_in(rig, name, role="admin") for name in ("ada", "eve")]
    answers = await asyncio.gather(*(each.request("DELETE", ME, json=BODY) for each in both))
    assert sorted(answer.status_code for answer in answers) == [204, 409]


async def test_twice_at_once_is_once(rig: Rig) -> None:
    bea = await signed_in(rig)
    answers = await asyncio.gather(*(bea.request("DELETE", ME, json=BODY) for _ in range(3)))
    codes = sorted(answer.status_code for answer in answers)
    assert codes[0] == 204
    assert set(codes[1:]) <= {401, 403, 404}
    assert await rig.db.primary.first(_TOLD) == 1
