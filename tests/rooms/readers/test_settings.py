"""What readers set for themselves, over both APIs."""

import asyncio
from datetime import timedelta

import pytest

from rensai.rooms.readers import door
from rensai.rooms.readers.store import accounts
from tests.rig import Rig
from tests.rooms.readers.people import a_person, browser_of, signed_in

pytestmark = pytest.mark.anyio

MINE = "/api/v1/users/me/settings"
NOVEL = "/wp-json/novel/v1/me/settings"
NOVEL_LOGIN = "/wp-json/novel/v1/auth/login"
DEFAULTS = {
    "font_size": 16,
    "font_family": "default",
    "line_height": 1.8,
    "theme": "light",
    "page_width": "medium",
}


async def novel_headers(rig: Rig) -> dict[str, str]:
    await a_person(rig.db, rig.clock)
    answer = await rig.post(
        NOVEL_LOGIN, json={"login": "bea", "password": "a long enough password"}
    )
    assert answer.status_code == 200, answer.text
    return {"Authorization": f"Bearer {answer.json()['access_token']}"}


async def test_the_novel_api_has_the_defaults_and_takes_any_subset(rig: Rig) -> None:
    bea = await novel_headers(rig)
    answer = await rig.get(NOVEL, headers=bea)
    assert answer.json() == DEFAULTS
    assert answer.headers["cache-control"] == "private, no-store"
    changed = await rig.client.put(NOVEL, json={"theme": "dark"}, headers=bea)
    assert changed.status_code == 200
    assert changed.json() == DEFAULTS | {"theme": "dark"}
    every = {
        "font_size": 40,
        "font_family": "Noto Serif",
        "line_height": 2.25,
        "theme": "sepia",
        "page_width": "full",
    }
    assert (await rig.client.put(NOVEL, json=every, headers=bea)).json() == every
    assert (await rig.client.put(NOVEL, json={}, headers=bea)).json() == every
    assert (await rig.get(NOVEL, headers=bea)).json() == every


@pytest.mark.parametrize(
    "body",
    [
        {"font_size": 9},
        {"font_size": 41},
        {"font_size": 16.5},
        {"font_size": "16"},
        {"font_size": None},
        {"line_height": 0.99},
        {"line_height": 3.01},
        {"line_height": "1.8"},
        {"theme": "pink"},
        {"page_width": "huge"},
        {"font_family": ""},
        {"font_family": "x" * 41},
        {"font_family": "a;} body{display:none"},
        {"font_family": "plain\n"},
        {"font_family": "url(x)"},
        {"show_adult": True},
        {"fontSize": 20},
        [],
    ],
    ids=lambda body: ascii(body)[:40],
)
async def test_what_does_not_fit_is_refused_and_nothing_changes(rig: Rig, body: object) -> None:
    bea = await novel_headers(rig)
    answer = await rig.client.put(NOVEL, json=body, headers=bea)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["code"] == "invalid_schema"
    assert (await rig.get(NOVEL, headers=bea)).json() == DEFAULTS


async def test_settings_are_asked_for_with_a_token_and_never_with_a_cookie(rig: Rig) -> None:
    bea = await signed_in(rig)
    for answer in (await bea.get(NOVEL), await bea.put(NOVEL, json={})):
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "invalid_token"


async def test_both_apis_show_the_same_settings(rig: Rig) -> None:
    headers = await novel_headers(rig)
    bea = await browser_of(rig, "bea")
    assert (await bea.get(MINE)).json() == {
        "fontSize": 16,
        "fontFamily": "default",
        "lineHeight": 1.8,
        "theme": "light",
        "pageWidth": "medium",
        "isAdult": False,
        "isAdultSince": None,
        "showAdult": None,
        "warnings": "ask",
        "language": None,
    }
    answer = await bea.patch(MINE, json={"fontSize": 20, "warnings": "show", "language": "zh-Hant"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["warnings"] == "show"
    assert answer.json()["language"] == "zh-Hant"
    assert (await rig.get(NOVEL, headers=headers)).json()["font_size"] == 20
    assert (await bea.patch(MINE, json={"language": None})).json()["language"] is None


async def test_who_wants_adult_stories_must_first_say_to_be_of_age(rig: Rig) -> None:
    bea = await signed_in(rig)
    refused = await bea.patch(MINE, json={"showAdult": True})
    assert refused.status_code == 422
    assert refused.json()["details"][0]["path"] == "showAdult"
    said = await bea.patch(MINE, json={"isAdult": True, "showAdult": True})
    assert (said.json()["isAdult"], said.json()["showAdult"]) == (True, True)
    since = said.json()["isAdultSince"]
    rig.clock.advance(timedelta(days=1))
    again = await bea.patch(MINE, json={"isAdult": True})
    assert again.json()["isAdultSince"] == since
    taken_back = await bea.patch(MINE, json={"isAdult": False})
    assert taken_back.json()["isAdultSince"] is None
    assert taken_back.json()["showAdult"] is None
    assert (await bea.patch(MINE, json={"showAdult": False})).json()["showAdult"] is False


async def test_other_rooms_learn_who_is_of_age_and_who_hides_adult_stories(rig: Rig) -> None:
    bea = await signed_in(rig)
    account = await accounts.credentials(rig.db.primary, "bea")
    assert account is not None
    lookups = rig.services.lookups
    assert await door.is_of_age(lookups, account.id) is False
    assert await door.mutes_of(lookups, account.id) is None
    await bea.patch(MINE, json={"isAdult": True})
    assert await door.is_of_age(lookups, account.id) is True
    assert await door.mutes_of(lookups, account.id) is None
    await bea.patch(MINE, json={"showAdult": False})
    hidden = await door.mutes_of(lookups, account.id)
    assert hidden is not None
    assert hidden.hide_adult is True
    await bea.patch(MINE, json={"showAdult": True})
    assert await door.mutes_of(lookups, account.id) is None


async def test_changes_at_the_same_time_all_count(rig: Rig) -> None:
    bea = await signed_in(rig)
    answers = await asyncio.gather(
        bea.patch(MINE, json={"fontSize": 20}),
        bea.patch(MINE, json={"theme": "dark"}),
        bea.patch(MINE, json={"lineHeight": 2}),
        bea.patch(MINE, json={"pageWidth": "wide"}),
    )
    assert [answer.status_code for answer in answers] == [200] * 4
    now = (await bea.get(MINE)).json()
    shown = (now["fontSize"], now["theme"], now["lineHeight"], now["pageWidth"])
    assert shown == (20, "dark", 2, "wide")


@pytest.mark.parametrize(
    "body",
    [
        {"language": "German"},
        {"language": "de\n"},
        {"language": "de-" + "x" * 20},
        {"warnings": "hide"},
        {"isAdult": "yes"},
        {"isAdult": None},
        {"isAdultSince": "2020-01-01T00:00:00Z"},
        {"mutesVersion": 7},
    ],
    ids=str,
)
async def test_preferences_that_do_not_fit_are_refused(rig: Rig, body: object) -> None:
    bea = await signed_in(rig)
    answer = await bea.patch(MINE, json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["code"] == "VALIDATION_ERROR"
