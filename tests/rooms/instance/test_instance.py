"""What the instance tells about itself, and to whom."""

from datetime import timedelta

import pytest

from rensai.kit.db import Command
from tests.rig import Rig
from tests.rooms.catalogue.stories import add_story
from tests.rooms.readers.accounts import PASSWORD, an_admin

pytestmark = pytest.mark.anyio

_RENAME = Command("UPDATE instance_config SET name = $1, announcement = $2")
_DEMOTE = Command("UPDATE users SET role = $1")


async def test_programs_learn_its_name_rules_and_size(rig: Rig) -> None:
    await an_admin(rig.db)
    await add_story(rig.db, "one", chapters=12)
    await add_story(rig.db, "draft", status=0, chapters=3)
    answer = await rig.client.get("/api/v1/instance")
    assert answer.status_code == 200
    told = answer.json()
    assert told["name"] == "Rensai"
    assert told["defaultLanguage"] == "en"
    assert told["registrationOpen"] is True
    assert told["counts"] == {"users": 1, "stories": 1, "chapters": 12}
    assert answer.headers["X-Api-Version"] == "1.0.0"


async def test_a_new_name_is_everywhere_within_thirty_seconds(rig: Rig) -> None:
    assert "<title>Home · Rensai</title>" in (await rig.client.get("/")).text
    async with rig.db.transaction() as tx:
        await tx.run(_RENAME, "Ánh <Trăng>", "Closed on Monday & Tuesday")
    rig.clock.advance(timedelta(seconds=29))
    assert "<title>Home · Rensai</title>" in (await rig.client.get("/")).text
    rig.clock.advance(timedelta(seconds=2))
    for path in ("/", "/browse", "/login"):
        page = (await rig.client.get(path)).text
        assert "Ánh &lt;Trăng&gt;</title>" in page
        assert "Closed on Monday &amp; Tuesday" in page


@pytest.mark.parametrize("role", ["user", "uploader", "moderator"])
async def test_administration_is_for_administrators(rig: Rig, role: str) -> None:
    await an_admin(rig.db)
    await rig.client.post("/api/v1/auth/login", json={"login": "ada", "password": PASSWORD})
    assert (await rig.client.get("/admin")).status_code == 200
    assert 'href="/admin"' in (await rig.client.get("/")).text
    async with rig.db.transaction() as tx:
        await tx.run(_DEMOTE, role)
    refused = await rig.client.get("/admin", headers={"Accept": "text/html"})
    assert refused.status_code == 403
    assert "You are not allowed to do that." in refused.text
    assert 'href="/admin"' not in (await rig.client.get("/")).text
