"""Signing in and out with forms."""

import re

import httpx
import pytest

from tests.rig import Rig
from tests.rooms.readers.accounts import PASSWORD, an_admin

pytestmark = pytest.mark.anyio

_TOKEN = re.compile(r'name="token" value="([0-9a-f]{64})"')


async def token_of(rig: Rig, path: str = "/login") -> str:
    """The token in the form of a page."""
    found = _TOKEN.search((await rig.client.get(path)).text)
    assert found is not None
    return found[1]


async def sign_in(rig: Rig, following: str = "/", **fields: str) -> httpx.Response:
    """Fill in the form and send it."""
    token = fields.pop("token", None) or await token_of(rig)
    form = {"login": "ada", "password": PASSWORD, "next": following, "token": token, **fields}
    return await rig.client.post("/login", data=form)


async def test_one_signs_in_and_goes_on_to_where_one_wanted(rig: Rig) -> None:
    await an_admin(rig.db)
    asked = await rig.client.get("/admin")
    assert asked.headers["location"] == "/login?next=/admin"
    form = await rig.client.get(asked.headers["location"])
    assert 'name="next" value="/admin"' in form.text
    answer = await sign_in(rig, "/admin")
    assert (answer.status_code, answer.headers["location"]) == (303, "/admin")
    admin = await rig.client.get("/admin")
    assert admin.status_code == 200
    assert "Administration" in admin.text
    assert admin.headers["cache-control"] == "no-store"
    again = await rig.client.get("/login?next=/browse")
    assert (again.status_code, again.headers["location"]) == (303, "/browse")


@pytest.mark.parametrize(
    "following",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "/x\r\nSet-Cookie: a=b",
        "javascript:alert(1)",
        "",
        "admin",
    ],
)
async def test_nobody_is_sent_elsewhere_after_signing_in(rig: Rig, following: str) -> None:
    await an_admin(rig.db)
    answer = await sign_in(rig, following)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


async def test_a_mistake_keeps_the_name_and_forgets_the_password(rig: Rig) -> None:
    await an_admin(rig.db)
    answer = await sign_in(rig, login='a"><script>', password="a wrong password")
    assert answer.status_code == 401
    assert "The name or the password is wrong." in answer.text
    assert "a&#34;&gt;&lt;script&gt;" in answer.text
    assert "a wrong password" not in answer.text
    assert "rensai_session" not in rig.client.cookies


async def test_a_form_without_its_token_or_cookie_is_asked_for_again(rig: Rig) -> None:
    await an_admin(rig.db)
    for token in ("0" * 64, "é", "x"):
        answer = await sign_in(rig, token=token)
        assert answer.status_code == 403
        assert "This form is out of date; send it once more." in answer.text
    token = await token_of(rig)
    rig.client.cookies.clear()
    assert (await sign_in(rig, token=token)).status_code == 403
    # The form in that answer brings a cookie and a token that match.
    assert (await sign_in(rig)).status_code == 303


async def test_a_form_of_another_site_is_refused(rig: Rig) -> None:
    await an_admin(rig.db)
    form = {"login": "ada", "password": PASSWORD, "token": await token_of(rig)}
    answer = await rig.client.post(
        "/login", data=form, headers={"Origin": "https://evil.example", "Accept": "text/html"}
    )
    assert answer.status_code == 403
    assert "This form did not come from this site." in answer.text


async def test_too_many_tries_say_how_long_to_wait(rig: Rig) -> None:
    await an_admin(rig.db)
    token = await token_of(rig)
    for _ in range(10):
        assert (await sign_in(rig, token=token, password="wrong")).status_code == 401
    answer = await sign_in(rig, token=token)
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert "Too many requests" in answer.text


async def test_signing_out_needs_the_token_of_this_session(rig: Rig) -> None:
    await an_admin(rig.db)
    await sign_in(rig)
    refused = await rig.client.post("/logout", data={"token": "0" * 64})
    assert refused.status_code == 403
    assert (await rig.client.get("/api/v1/auth/me")).status_code == 200
    token = await token_of(rig, "/")
    answer = await rig.client.post("/logout", data={"token": token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert (await rig.client.get("/api/v1/auth/me")).status_code == 401


async def test_an_old_cookie_is_no_obstacle(rig: Rig) -> None:
    await an_admin(rig.db)
    rig.client.cookies.set("rensai_session", "x" * 43)
    for path in ("/", "/browse", "/login"):
        answer = await rig.client.get(path)
        assert answer.status_code == 200
        assert "Sign in" in answer.text
