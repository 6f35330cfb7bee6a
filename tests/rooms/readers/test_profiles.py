"""What accounts say of themselves, and who may see what of it."""

import json

import pytest

from rensai.kit.db import Command
from tests.rig import Rig
from tests.rooms.readers.people import a_person, signed_in

pytestmark = pytest.mark.anyio

ME = "/api/v1/users/me"
SCRIPT = "<script>alert(1)</script>"
_CLOSE = Command("UPDATE users SET is_active = false WHERE lower(username) = 'bea'")
_BAN = Command("UPDATE users SET is_banned = true WHERE lower(username) = 'bea'")


async def test_everybody_sees_a_profile_and_nobody_the_address(rig: Rig) -> None:
    person = await a_person(rig.db, rig.clock, "Bea", role="uploader")
    answer = await rig.get("/api/v1/users/bea")
    assert answer.status_code == 200
    profile = answer.json()
    assert len(profile.pop("fingerprint")) == 32
    assert profile == {
        "id": str(person.uid),
        "username": "Bea",
        "displayName": "Bea",
        "bio": "",
        "role": "uploader",
        "createdAt": profile["createdAt"],
    }
    assert "example.com" not in answer.text


@pytest.mark.parametrize("shut", [_CLOSE, _BAN])
async def test_a_closed_account_is_as_if_never_there(rig: Rig, shut: Command) -> None:
    await a_person(rig.db, rig.clock)
    async with rig.db.transaction() as tx:
        await tx.run(shut)
    closed = await rig.get("/api/v1/users/bea")
    never = await rig.get("/api/v1/users/nobody")
    assert closed.status_code == never.status_code == 404
    assert (
        closed.json()
        == never.json()
        == {
            "error": "There is no account of that name.",
            "code": "NOT_FOUND",
        }
    )


async def test_people_describe_themselves_in_plain_text(rig: Rig) -> None:
    bea = await signed_in(rig)
    sent = {"displayName": f"  Be\u0301a {SCRIPT} ", "bio": f"one\r\ntwo\n{SCRIPT}\t."}
    answer = await bea.patch(ME, json=sent)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.json()["displayName"] == f"B\u00e9a {SCRIPT}"
    assert answer.json()["bio"] == f"one\ntwo\n{SCRIPT}\t."
    assert (await bea.get(ME)).json() == answer.json()
    assert (await rig.get("/api/v1/users/bea")).json()["bio"] == answer.json()["bio"]
    page = await bea.get("/", headers={"accept": "text/html"})
    assert SCRIPT not in page.text
    assert "&lt;script&gt;" in page.text


async def test_what_is_left_out_or_null_stays_and_a_bio_can_be_emptied(rig: Rig) -> None:
    bea = await signed_in(rig)
    await bea.patch(ME, json={"displayName": "Bea B.", "bio": "reads"})
    assert (await bea.patch(ME, json={})).json()["bio"] == "reads"
    assert (await bea.patch(ME, json={"bio": None})).json()["bio"] == "reads"
    answer = await bea.patch(ME, json={"bio": ""})
    assert (answer.json()["displayName"], answer.json()["bio"]) == ("Bea B.", "")


@pytest.mark.parametrize(
    "body",
    [
        {"role": "admin"},
        {"id": 1},
        {"username": "root"},
        {"email": "other@example.com"},
        {"emailVerified": True},
        {"isActive": True},
        {"displayName": ""},
        {"displayName": "   "},
        {"displayName": "x" * 101},
        {"displayName": "two\nlines"},
        {"displayName": "turned \u202e round"},
        {"displayName": "nul \x00"},
        {"displayName": "\ud800"},
        {"displayName": 7},
        {"bio": "x" * 5001},
        {"bio": "bell \x07"},
        [],
    ],
    ids=lambda body: ascii(body)[:40],
)
async def test_nothing_else_can_be_set_and_nothing_unfit(rig: Rig, body: object) -> None:
    bea = await signed_in(rig)
    before = (await bea.get(ME)).json()
    headers = {"content-type": "application/json"}
    answer = await bea.patch(ME, content=json.dumps(body), headers=headers)
    assert answer.status_code in {400, 422}, answer.text
    assert answer.json()["code"] in {"VALIDATION_ERROR", "BAD_REQUEST"}
    assert (await bea.get(ME)).json() == before


async def test_nobody_has_no_account_of_his_own(rig: Rig) -> None:
    for method, path in (("GET", ME), ("PATCH", ME), ("DELETE", ME)):
        answer = await rig.client.request(method, path, json={"password": "x", "bio": "y"})
        assert answer.status_code in {401, 422}
    assert (await rig.get(ME)).json()["code"] == "AUTH_REQUIRED"
    assert (await rig.client.patch(ME, json={"bio": "y"})).status_code == 401


async def test_another_site_changes_nothing_with_our_cookie(rig: Rig) -> None:
    bea = await signed_in(rig)
    answer = await bea.patch(ME, json={"bio": "y"}, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403
    assert answer.json()["code"] == "FOREIGN_FORM"
    assert (await bea.get(ME)).json()["bio"] == ""
