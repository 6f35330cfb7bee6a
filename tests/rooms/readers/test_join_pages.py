"""Making an account with a form, and coming back by the twelve words."""

import re
from pathlib import Path

import httpx
import pytest

from rensai.kit.clock import SetClock
from rensai.kit.db import Database
from tests.rig import Rig, build_services
from tests.rooms.readers.accounts import PASSWORD
from tests.rooms.readers.test_registration_api import ME, READER

pytestmark = pytest.mark.anyio

_TOKEN = re.compile(r'name="token" value="([0-9a-f]{64})"')
_WORD = re.compile(r"<li>([a-z]+)</li>")


async def send(visitor: httpx.AsyncClient, path: str, **fields: str) -> httpx.Response:
    """Open the form, fill it in and send it."""
    found = _TOKEN.search((await visitor.get(path)).text)
    assert found is not None
    return await visitor.post(path, data=READER | {"token": found[1]} | fields)


async def test_one_makes_an_account_and_sees_its_words_once(rig: Rig) -> None:
    answer = await send(rig.client, "/register")
    assert answer.status_code == 200, answer.text
    words = _WORD.findall(answer.text)
    assert len(words) == 12
    assert answer.headers["cache-control"] == "no-store"
    assert "I have written them down" in answer.text
    assert (await rig.get(ME)).json()["username"] == "reader1"
    again = await rig.get("/register")
    assert (again.status_code, again.headers["location"]) == (303, "/")

    somebody = rig.visitor()
    fields = {"words": " ".join(words), "username": "reborn", "password": "another long password"}
    back = await send(somebody, "/recover", **fields)
    assert (back.status_code, back.headers["location"]) == (303, "/")
    assert (await somebody.get(ME)).json()["username"] == "reborn"
    assert (await rig.get(ME)).status_code == 401


@pytest.mark.parametrize(
    ("path", "fields", "status", "said"),
    [
        ("/register", {"username": 'a"><script>'}, 422, "the username needs"),
        ("/register", {"password": "password1"}, 422, "on lists of stolen ones"),
        ("/register", {"token": "0" * 64}, 403, "out of date"),
        ("/recover", {"words": "abandon abandon"}, 400, "not the words of an identity"),
        (
            "/recover",
            {
                "words": "legal winner thank year wave sausage worth useful legal winner "
                "thank yellow"
            },
            404,
            "No account of this site",
        ),
        ("/recover", {"token": ""}, 403, "out of date"),
    ],
    ids=str,
)
async def test_a_mistake_keeps_the_name_and_forgets_what_is_secret(
    rig: Rig, path: str, fields: dict[str, str], status: int, said: str
) -> None:
    answer = await send(rig.client, path, **fields)
    assert answer.status_code == status
    assert said in answer.text
    for secret in (PASSWORD, fields.get("password", PASSWORD), fields.get("words", PASSWORD)):
        assert secret not in answer.text
    assert "<script>" not in answer.text
    assert 'value="reader1@example.com"' in answer.text
    assert "rensai_session" not in rig.client.cookies


@pytest.mark.parametrize("path", ["/register", "/recover"])
async def test_a_form_of_another_site_is_refused(rig: Rig, path: str) -> None:
    answer = await rig.post(path, data=READER, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403
    assert answer.json()["code"] == "FOREIGN_FORM"


async def test_a_closed_site_says_so(database: Database, tmp_path: Path, clock: SetClock) -> None:
    services = build_services(database, tmp_path, clock, ENABLE_REGISTRATION="false")
    async with Rig(services, clock) as rig:
        page = await rig.get("/register")
        assert page.status_code == 403
        assert "takes no new accounts" in page.text
        assert "<form" not in page.text.partition("<main")[2]
        answer = await rig.post("/register", data=READER | {"token": "x"})
        assert answer.status_code == 403
