"""Where an instance asks for confirmed addresses, nothing is published without one."""

from datetime import timedelta

import pytest

from rensai.kit.db import Command
from tests.rig import Rig
from tests.rooms.catalogue.stories import add_story
from tests.rooms.shelf.opinions import API, NOVEL, Reader, a_reader, story_id

pytestmark = pytest.mark.anyio

_VERIFIED_ONLY = Command("UPDATE instance_config SET require_email_verification = true")
_UNCONFIRMED = Command("UPDATE users SET email_verified = false")


@pytest.fixture
async def ada(rig: Rig) -> Reader:
    """A reader without a confirmed address, where one is asked for."""
    await add_story(rig.db, "than-dao", source="truyen")
    reader = await a_reader(rig, "ada")
    async with rig.db.transaction() as tx:
        await tx.run(_VERIFIED_ONLY)
        await tx.run(_UNCONFIRMED)
    rig.clock.advance(timedelta(seconds=31))  # what the operator says is kept for 30
    return reader


async def test_a_score_alone_needs_no_confirmed_address_and_a_review_does(
    rig: Rig, ada: Reader
) -> None:
    series = f"{API}/series/truyen:than-dao/ratings/me"
    refused = await ada.ask("PUT", series, 403, json={"score": 9, "reviewText": "Read it!"})
    assert refused["code"] == "EMAIL_UNVERIFIED"
    story = f"{NOVEL}/me/ratings/{await story_id(rig, 'than-dao')}"
    await ada.ask("POST", story, 403, json={"score": 9, "review_text": "Read it!"})
    rated = await ada.ask("PUT", series, json={"score": 9})
    assert (rated["score"], rated["reviewText"]) == (9, None)


async def test_a_private_list_needs_no_confirmed_address_and_a_public_one_does(
    ada: Reader,
) -> None:
    public = {"title": "Best of", "isPublic": True}
    assert (await ada.ask("POST", f"{API}/lists", 403, json=public))["code"] == "EMAIL_UNVERIFIED"
    made = await ada.ask("POST", f"{API}/lists", 201, json={"title": "Best of"})
    await ada.ask("PATCH", f"{API}/lists/{made['id']}", 403, json={"isPublic": True})
    assert (await ada.ask("GET", f"{API}/lists/{made['id']}"))["isPublic"] is False
