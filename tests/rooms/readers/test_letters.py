"""Letters to readers, from the request to the mailbox and back by the link."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import httpx
import pytest

from rensai.kit.clock import SetClock
from rensai.kit.db import Command, Database, Query
from tests import smtp_server
from tests.rig import Rig, build_services
from tests.rooms.readers.people import PASSWORD, a_person, browser_of, signed_in
from tests.smtp_server import Postbox

pytestmark = pytest.mark.anyio

RESET = "/api/v1/auth/reset"
CONFIRM = "/api/v1/auth/reset/confirm"
VERIFY = "/api/v1/auth/verify"
SEND = "/api/v1/auth/verify/send"
LOGIN = "/api/v1/auth/login"
ME = "/api/v1/users/me"
NEW = "quite another password"
_LINK = re.compile(r"http://rensai\.test/(\w+)\?token=([\w-]{43})")
_MARKS = Query("SELECT encode(mark_hash, 'hex') FROM letter_marks", str)
_WAITING = Query(
    "SELECT convert_from(payload, 'UTF8') FROM tasks.pgqueuer WHERE payload IS NOT NULL", str
)
_BAN = Command("UPDATE users SET is_banned = true")


@pytest.fixture
def postbox() -> Iterator[Postbox]:
    with smtp_server.mail_server() as opened:
        yield opened


@pytest.fixture
async def rig(
    database: Database, tmp_path: Path, clock: SetClock, postbox: Postbox
) -> AsyncIterator[Rig]:
    """The whole application, with a mail server."""
    settings = {"SMTP_URL": postbox.url, "MAIL_FROM": "Books <books@rensai.test>"}
    async with Rig(build_services(database, tmp_path, clock, **settings), clock) as built:
        yield built


def text_of(letter: EmailMessage) -> str:
    return str(letter.get_content())


def mark_in(letter: EmailMessage, kind: str) -> str:
    found = _LINK.search(text_of(letter))
    assert found is not None, text_of(letter)
    assert found[1] == kind
    return found[2]


async def letters(rig: Rig, postbox: Postbox) -> list[EmailMessage]:
    """What has arrived since the last look, when all is sent that is to be sent."""
    await rig.work()
    arrived = list(postbox.letters)
    postbox.letters.clear()
    return arrived


async def forgotten(rig: Rig, postbox: Postbox, email: str = "bea@example.com") -> str:
    await rig.post(RESET, json={"email": email})
    [letter] = await letters(rig, postbox)
    return mark_in(letter, "reset")


@pytest.fixture
async def bea(rig: Rig, postbox: Postbox) -> httpx.AsyncClient:
    """Somebody who is signed in and has had the first letter."""
    visitor = await signed_in(rig)
    await letters(rig, postbox)
    return visitor


async def test_who_registers_is_asked_to_confirm_the_address(rig: Rig, postbox: Postbox) -> None:
    bea = await signed_in(rig)
    [letter] = await letters(rig, postbox)
    assert letter["To"] == "bea@example.com"
    assert letter["Subject"] == "Confirm your address for rensai.test"
    assert text_of(letter).startswith("Hello bea,")
    assert (await bea.get(ME)).json()["emailVerified"] is False
    mark = mark_in(letter, "verify")
    assert (await rig.post(VERIFY, json={"token": mark})).status_code == 204
    assert (await bea.get(ME)).json()["emailVerified"] is True
    again = await rig.post(VERIFY, json={"token": mark})
    assert (again.status_code, again.json()["code"]) == (410, "LINK_EXPIRED")


async def test_a_forgotten_password_is_set_anew_by_a_link_that_works_once(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient
) -> None:
    answer = await rig.post(RESET, json={"email": "BEA@example.com"})
    assert answer.status_code == 202
    [letter] = await letters(rig, postbox)
    assert letter["To"] == "bea@example.com"
    mark = mark_in(letter, "reset")
    rig.clock.advance(timedelta(minutes=59))
    set_anew = await rig.post(CONFIRM, json={"token": mark, "password": NEW})
    assert set_anew.status_code == 204, set_anew.text
    assert (await bea.get(ME)).status_code == 401
    assert (await rig.post(LOGIN, json={"login": "bea", "password": PASSWORD})).status_code == 401
    now = await browser_of(rig, "bea", NEW)
    assert (await now.get(ME)).json()["emailVerified"] is True
    again = await rig.post(CONFIRM, json={"token": mark, "password": PASSWORD})
    assert (again.status_code, again.json()["code"]) == (410, "LINK_EXPIRED")
    [told] = await letters(rig, postbox)
    assert told["Subject"] == "Your password for rensai.test was changed"


async def test_the_answer_is_the_same_whether_or_not_there_is_an_account(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient
) -> None:
    del bea
    known = await rig.post(RESET, json={"email": "bea@example.com"})
    unknown = await rig.post(RESET, json={"email": "nobody@example.com"})
    assert (known.status_code, known.content) == (unknown.status_code, unknown.content)
    assert set(known.headers) == set(unknown.headers)
    assert [letter["To"] for letter in await letters(rig, postbox)] == ["bea@example.com"]


async def test_neither_tables_nor_waiting_tasks_hold_what_opens_an_account(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient
) -> None:
    del bea
    before = await rig.db.primary.all(_MARKS)
    await rig.post(RESET, json={"email": "bea@example.com"})
    assert await rig.db.primary.all(_MARKS) == before
    postbox.refusal = "451 later"
    waiting = await rig.db.primary.all(_WAITING)
    assert any("bea@example.com" in payload for payload in waiting)
    assert not any(re.search(r"[\w-]{43}", payload) for payload in waiting)
    postbox.refusal = None
    [letter] = await letters(rig, postbox)
    mark = mark_in(letter, "reset")
    assert all(mark not in kept for kept in await rig.db.primary.all(_MARKS))


async def test_a_server_that_is_away_gets_the_letter_when_it_is_back(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient
) -> None:
    del bea
    postbox.refusal = "451 later"
    await rig.post(RESET, json={"email": "bea@example.com"})
    await rig.work()
    assert postbox.letters == []
    postbox.refusal = None
    async with rig.db.transaction() as tx:
        await tx.run(Command("UPDATE tasks.pgqueuer SET execute_after = now()"))
    [letter] = await letters(rig, postbox)
    mark = mark_in(letter, "reset")
    assert (await rig.post(CONFIRM, json={"token": mark, "password": NEW})).status_code == 204


async def test_a_link_ends_with_its_hour(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient
) -> None:
    del bea
    mark = await forgotten(rig, postbox)
    rig.clock.advance(timedelta(hours=1))
    answer = await rig.post(CONFIRM, json={"token": mark, "password": NEW})
    assert answer.json()["code"] == "LINK_EXPIRED"


async def test_of_two_that_use_a_link_at_once_one_succeeds(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient
) -> None:
    del bea
    mark = await forgotten(rig, postbox)
    answers = await asyncio.gather(
        *(rig.post(CONFIRM, json={"token": mark, "password": f"{NEW} {n}"}) for n in range(4))
    )
    assert sorted(answer.status_code for answer in answers) == [204, 410, 410, 410]


async def test_a_link_is_good_for_its_purpose_alone_and_no_other_text_for_any(
    rig: Rig, postbox: Postbox
) -> None:
    await a_person(rig.db, rig.clock)
    [letter] = await letters(rig, postbox)
    verify = mark_in(letter, "verify")
    reset = await forgotten(rig, postbox)
    for path, body in (
        (CONFIRM, {"token": verify, "password": NEW}),
        (VERIFY, {"token": reset}),
        (VERIFY, {"token": "x" * 43}),
        (VERIFY, {"token": "' OR 1=1 --"}),
        (CONFIRM, {"token": "\u0000".replace("\u0000", "%00"), "password": NEW}),
    ):
        answer = await rig.post(path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (410, "LINK_EXPIRED"), path
    assert (await rig.post(VERIFY, json={"token": verify})).status_code == 204


async def test_only_the_latest_three_links_work_and_none_after_the_password_changed(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient
) -> None:
    marks: list[str] = []
    for _ in range(4):
        marks.append(await forgotten(rig, postbox))
        rig.clock.advance(timedelta(minutes=21))  # past the limit of letters to one mailbox
    body = {"currentPassword": PASSWORD, "newPassword": NEW}
    assert (await bea.post("/api/v1/auth/password", json=body)).status_code == 204
    for mark in marks:
        answer = await rig.post(CONFIRM, json={"token": mark, "password": PASSWORD})
        assert answer.status_code == 410
    count = Query("SELECT count(*) AS count FROM letter_marks", int)
    assert await rig.db.primary.first(count) == 0


async def test_the_first_of_four_links_is_over(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient
) -> None:
    del bea
    marks = [await forgotten(rig, postbox) for _ in range(3)]
    rig.clock.advance(timedelta(minutes=30))
    second = Query("SELECT count(*) AS count FROM letter_marks WHERE purpose = 'reset'", int)
    assert await rig.db.primary.first(second) == 3
    rig.clock.advance(timedelta(minutes=29, seconds=59))
    good = await rig.post(CONFIRM, json={"token": marks[0], "password": NEW})
    assert good.status_code == 204


async def test_one_mailbox_is_not_flooded_and_nobody_learns_of_it(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient
) -> None:
    del bea
    for number in range(6):
        visitor = rig.visitor(f"198.19.0.{number}")
        answer = await visitor.post(RESET, json={"email": "bea@EXAMPLE.com"})
        assert answer.status_code == 202
    assert len(await letters(rig, postbox)) == 3


async def test_one_caller_asks_ten_times_an_hour(rig: Rig) -> None:
    for number in range(10):
        answer = await rig.post(RESET, json={"email": f"somebody{number}@example.com"})
        assert answer.status_code == 202
    refused = await rig.post(RESET, json={"email": "another@example.com"})
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 0


async def test_a_banned_account_gets_no_letter_and_no_link_of_it_works(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient
) -> None:
    del bea
    mark = await forgotten(rig, postbox)
    async with rig.db.transaction() as tx:
        await tx.run(_BAN)
    answer = await rig.post(CONFIRM, json={"token": mark, "password": NEW})
    assert answer.status_code == 410
    await rig.post(RESET, json={"email": "bea@example.com"})
    assert await letters(rig, postbox) == []


async def test_a_link_confirms_only_the_address_that_it_went_to(rig: Rig, postbox: Postbox) -> None:
    bea = await signed_in(rig)
    [first] = await letters(rig, postbox)
    changed = await bea.post(
        "/api/v1/auth/email", json={"email": "other@example.com", "password": PASSWORD}
    )
    assert changed.status_code == 200
    stale = await rig.post(VERIFY, json={"token": mark_in(first, "verify")})
    assert stale.status_code == 410
    sent = {letter["To"]: letter for letter in await letters(rig, postbox)}
    assert set(sent) == {"bea@example.com", "other@example.com"}
    assert sent["bea@example.com"]["Subject"] == "Your address at rensai.test was changed"
    assert "other@example.com" not in text_of(sent["bea@example.com"])
    mark = mark_in(sent["other@example.com"], "verify")
    assert (await rig.post(VERIFY, json={"token": mark})).status_code == 204
    assert (await bea.get(ME)).json()["emailVerified"] is True


async def test_a_link_is_over_when_the_account_has_another_address_however_it_came_to_it(
    rig: Rig, postbox: Postbox
) -> None:
    bea = await signed_in(rig)
    [letter] = await letters(rig, postbox)
    reset = await forgotten(rig, postbox)
    async with rig.db.transaction() as tx:
        await tx.run(Command("UPDATE users SET email = 'other@example.com'"))
    verified = await rig.post(VERIFY, json={"token": mark_in(letter, "verify")})
    assert verified.json()["code"] == "LINK_EXPIRED"
    anew = await rig.post(CONFIRM, json={"token": reset, "password": NEW})
    assert anew.json()["code"] == "LINK_EXPIRED"
    assert (await bea.get(ME)).json()["emailVerified"] is False


async def test_the_letter_is_sent_again_when_asked_for_and_not_to_the_confirmed(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient
) -> None:
    assert (await rig.post(SEND)).status_code == 401
    assert (await bea.post(SEND)).status_code == 202
    [letter] = await letters(rig, postbox)
    await rig.post(VERIFY, json={"token": mark_in(letter, "verify")})
    assert (await bea.post(SEND)).status_code == 202
    assert await letters(rig, postbox) == []
    for _ in range(3):
        await bea.post(SEND)
    assert (await bea.post(SEND)).status_code == 429


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"password": "password1"}, "PASSWORD_BREACHED"),
        ({"password": "bea@example.com"}, "PASSWORD_BREACHED"),
        ({"password": "short"}, "VALIDATION_ERROR"),
    ],
)
async def test_a_bad_password_does_not_use_the_link_up(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient, body: dict[str, str], code: str
) -> None:
    del bea
    mark = await forgotten(rig, postbox)
    bad = await rig.post(CONFIRM, json={"token": mark, **body})
    assert (bad.status_code, bad.json()["code"]) == (422, code)
    assert (await rig.post(CONFIRM, json={"token": mark, "password": NEW})).status_code == 204


async def test_pages_lead_from_the_letter_to_a_new_password(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient
) -> None:
    del bea
    visitor = rig.visitor()
    form = await visitor.get("/reset")
    assert form.headers["cache-control"] == "no-store"
    sent = await visitor.post("/reset", data={"email": "bea@example.com", "token": token_in(form)})
    assert sent.status_code == 200
    assert "a letter is on its way" in sent.text
    [letter] = await letters(rig, postbox)
    mark = mark_in(letter, "reset")
    form = await visitor.get("/reset", params={"token": mark})
    fields = {"mark": mark, "token": token_in(form)}
    short = await visitor.post("/reset/confirm", data={**fields, "password": "short"})
    assert short.status_code == 422
    assert "It must have 8 to 128 characters." in short.text
    done = await visitor.post("/reset/confirm", data={**fields, "password": NEW})
    assert done.status_code == 200
    assert "The password is set" in done.text
    await browser_of(rig, "bea", NEW)
    over = await visitor.post("/reset/confirm", data={**fields, "password": NEW})
    assert over.status_code == 410
    assert "This link has been used" in over.text


async def test_opening_the_link_confirms_nothing_and_the_button_does(
    rig: Rig, postbox: Postbox
) -> None:
    bea = await signed_in(rig)
    [letter] = await letters(rig, postbox)
    mark = mark_in(letter, "verify")
    visitor = rig.visitor()
    form = await visitor.get("/verify", params={"token": mark})
    assert form.status_code == 200
    assert (await visitor.head("/verify", params={"token": mark})).status_code == 200
    assert (await bea.get(ME)).json()["emailVerified"] is False
    done = await visitor.post("/verify", data={"mark": mark, "token": token_in(form)})
    assert "the address is confirmed" in done.text
    assert (await bea.get(ME)).json()["emailVerified"] is True


@pytest.mark.parametrize("path", ["/reset", "/reset/confirm", "/verify"])
async def test_no_form_is_taken_from_another_site_or_without_its_token(
    rig: Rig, postbox: Postbox, bea: httpx.AsyncClient, path: str
) -> None:
    del bea
    fields = {"email": "bea@example.com", "mark": "x", "password": NEW, "token": "x"}
    foreign = await rig.post(path, data=fields, headers={"Origin": "https://evil.example"})
    assert foreign.status_code == 403
    stale = await rig.post(path, data=fields)
    assert stale.status_code == 403
    assert "out of date" in stale.text
    assert await letters(rig, postbox) == []


def token_in(page: httpx.Response) -> str:
    found = re.search(r'name="token" value="(\w+)"', page.text)
    assert found is not None, page.text
    return found[1]
