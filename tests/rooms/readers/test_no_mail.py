"""A site that sends no mail says so, and works."""

import pytest

from rensai.kit.db import Query
from tests.rig import Rig
from tests.rooms.readers.people import signed_in

pytestmark = pytest.mark.anyio

_MARKS = Query("SELECT count(*) AS count FROM letter_marks", int)
_DEAD = Query("SELECT count(*) AS count FROM tasks.dead", int)


async def test_what_needs_a_letter_says_that_there_is_none(rig: Rig) -> None:
    bea = await signed_in(rig)
    answers = [
        await rig.post("/api/v1/auth/reset", json={"email": "bea@example.com"}),
        await bea.post("/api/v1/auth/verify/send"),
    ]
    for answer in answers:
        assert answer.status_code == 403
        assert answer.json() == {"error": "This site sends no mail.", "code": "MAIL_DISABLED"}
    page = await rig.get("/reset", headers={"accept": "text/html"})
    assert "This site sends no mail." in page.text
    assert "<form" not in page.text.partition("<main")[2]


async def test_registering_and_changing_an_address_need_no_letter(rig: Rig) -> None:
    bea = await signed_in(rig)
    body = {"email": "other@example.com", "password": "a long enough password"}
    assert (await bea.post("/api/v1/auth/email", json=body)).status_code == 200
    await rig.work()
    assert await rig.db.primary.first(_MARKS) == 0
    assert await rig.db.primary.first(_DEAD) == 0
