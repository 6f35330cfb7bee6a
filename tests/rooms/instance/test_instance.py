"""What the instance tells about itself, and to whom."""

from datetime import timedelta

import pytest

from rensai.kit.db import Command
from tests.rooms.catalogue.stories import add_story
from tests.rooms.house import House
from tests.rooms.readers.accounts import PASSWORD, an_admin

pytestmark = pytest.mark.anyio

_RENAME = Command("UPDATE instance_config SET name = $1, announcement = $2")
_DEMOTE = Command("UPDATE users SET role = $1")


async def test_programs_learn_its_name_rules_and_size(house: House) -> None:
    await an_admin(house.services.db)
    await add_story(house.services.db, "one", chapters=12)
    await add_story(house.services.db, "draft", status=0, chapters=3)
    answer = await house.visitor.get("/api/v1/instance")
    assert answer.status_code == 200
    told = answer.json()
    assert told["name"] == "Rensai"
    assert told["defaultLanguage"] == "en"
    assert told["registrationOpen"] is True
    assert told["counts"] == {"users": 1, "stories": 1, "chapters": 12}
    assert answer.headers["X-Api-Version"] == "1.0.0"


async def test_a_new_name_is_everywhere_within_thirty_seconds(house: House) -> None:
    assert "<title>Home · Rensai</title>" in (await house.visitor.get("/")).text
    async with house.services.db.transaction() as tx:
        await tx.run(_RENAME, "Ánh <Trăng>", "Closed on Monday & Tuesday")
    house.clock.advance(timedelta(seconds=29))
    assert "<title>Home · Rensai</title>" in (await house.visitor.get("/")).text
    house.clock.advance(timedelta(seconds=2))
    for path in ("/", "/browse", "/login"):
        page = (await house.visitor.get(path)).text
        assert "Ánh &lt;Trăng&gt;</title>" in page
        assert "Closed on Monday &amp; Tuesday" in page


@pytest.mark.parametrize("role", ["user", "uploader", "moderator"])
async def test_administration_is_for_administrators(house: House, role: str) -> None:
    await an_admin(house.services.db)
    await house.visitor.post("/api/v1/auth/login", json={"login": "ada", "password": PASSWORD})
    assert (await house.visitor.get("/admin")).status_code == 200
    assert 'href="/admin"' in (await house.visitor.get("/")).text
    async with house.services.db.transaction() as tx:
        await tx.run(_DEMOTE, role)
    refused = await house.visitor.get("/admin", headers={"Accept": "text/html"})
    assert refused.status_code == 403
    assert "You are not allowed to do that." in refused.text
    assert 'href="/admin"' not in (await house.visitor.get("/")).text
