"""What readers do not want to see: said over HTTP, read by other rooms."""

import asyncio

import pytest

from rensai.kit.db import Query
from rensai.rooms.readers import door
from rensai.rooms.readers.model.mutes import MOST_MUTES, MuteKind
from rensai.rooms.readers.service import mutes
from rensai.rooms.readers.store import accounts
from tests.rig import Rig
from tests.rooms.readers.people import a_person, browser_of, signed_in

pytestmark = pytest.mark.anyio

MUTES = "/api/v1/users/me/mutes"
_COUNTS = Query(
    """
    SELECT (SELECT count(*) FROM mutes) = (SELECT sum(mute_count) FROM reader_settings) AS same
    """,
    bool,
)


async def id_of(rig: Rig, username: str = "bea") -> int:
    account = await accounts.credentials(rig.db.primary, username)
    assert account is not None
    return account.id


async def test_what_is_muted_is_listed_and_told_to_other_rooms(rig: Rig) -> None:
    bea = await signed_in(rig)
    for path in (
        "tag/Body%20Horror",
        "genre/harem",
        "author/Mei%20Lan",
        "author/A/B%20Writers",
        "warning/warning:violence",
    ):
        answer = await bea.put(f"{MUTES}/{path}")
        assert answer.status_code == 204, answer.text
    listed = await bea.get(MUTES)
    assert listed.headers["cache-control"] == "private, no-store"
    assert [(one["kind"], one["value"]) for one in listed.json()["items"]] == [
        ("author", "A/B Writers"),
        ("author", "Mei Lan"),
        ("genre", "harem"),
        ("tag", "Body Horror"),
        ("warning", "warning:violence"),
    ]
    told = await door.mutes_of(rig.services.lookups, await id_of(rig))
    assert told is not None
    assert told.tags == ["Body Horror"]
    assert told.genres == ["harem"]
    assert sorted(told.authors) == ["A/B Writers", "Mei Lan"]
    assert told.terms == ["warning:violence"]
    assert told.hide_adult is False


async def test_twice_is_once_and_case_makes_no_other_value(rig: Rig) -> None:
    bea = await signed_in(rig)
    for value in ("Gore", "GORE", " gore ", "gore"):
        assert (await bea.put(f"{MUTES}/tag/{value}")).status_code == 204
    assert [one["value"] for one in (await bea.get(MUTES)).json()["items"]] == ["Gore"]
    assert (await bea.delete(f"{MUTES}/tag/gOrE")).status_code == 204
    assert (await bea.delete(f"{MUTES}/tag/gore")).status_code == 204
    assert (await bea.get(MUTES)).json()["items"] == []
    assert await door.mutes_of(rig.services.lookups, await id_of(rig)) is None


async def test_the_version_changes_with_every_change_and_with_nothing_else(rig: Rig) -> None:
    bea = await signed_in(rig)
    reader = await id_of(rig)

    async def version() -> int:
        told = await door.mutes_of(rig.services.lookups, reader)
        assert told is not None
        return told.version

    await bea.put(f"{MUTES}/tag/gore")
    first = await version()
    await bea.put(f"{MUTES}/tag/gore")
    await bea.patch("/api/v1/users/me/settings", json={"fontSize": 20})
    assert await version() == first
    await bea.put(f"{MUTES}/genre/harem")
    second = await version()
    await bea.delete(f"{MUTES}/tag/gore")
    third = await version()
    await bea.patch("/api/v1/users/me/settings", json={"showAdult": False})
    assert first < second < third < await version()


async def test_nobody_sees_or_changes_what_another_has_muted(rig: Rig) -> None:
    bea, cleo = await signed_in(rig), await signed_in(rig, "cleo")
    await bea.put(f"{MUTES}/tag/gore")
    assert (await cleo.get(MUTES)).json()["items"] == []
    assert (await cleo.delete(f"{MUTES}/tag/gore")).status_code == 204
    assert len((await bea.get(MUTES)).json()["items"]) == 1
    assert (await rig.get(MUTES)).status_code == 401
    assert (await rig.client.put(f"{MUTES}/tag/gore")).status_code == 401


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("colour/red", 404),
        ("tag/", 404),
        ("tag/%20", 422),
        ("tag/" + "x" * 301, 422),
        ("tag/a%0Ab", 422),
        ("tag/a%E2%80%AEb", 422),
        ("genre/Not A Slug", 422),
        ("genre/", 404),
        ("warning/violence", 422),
        ("warning/:violence", 422),
        ("warning/warning:", 422),
    ],
)
async def test_what_can_be_no_such_value_is_refused(rig: Rig, path: str, status: int) -> None:
    bea = await signed_in(rig)
    answer = await bea.put(f"{MUTES}/{path}")
    assert answer.status_code == status, answer.text
    assert (await bea.get(MUTES)).json()["items"] == []


async def test_there_is_room_for_500_whoever_comes_at_once(rig: Rig) -> None:
    reader = await a_person(rig.db, rig.clock)
    async with rig.db.transaction() as tx:
        for number in range(MOST_MUTES - 2):
            await mutes.mute(tx, reader.id, MuteKind.TAG, f"tag {number}", rig.clock.now())
    bea = await browser_of(rig, "bea")
    answers = await asyncio.gather(*(bea.put(f"{MUTES}/tag/more-{n}") for n in range(6)))
    assert sorted(answer.status_code for answer in answers) == [204, 204, 409, 409, 409, 409]
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert refused.json()["code"] == "TOO_MANY_MUTES"
    assert len((await bea.get(MUTES)).json()["items"]) == MOST_MUTES
    assert (await bea.put(f"{MUTES}/tag/tag%201")).status_code == 204
    await asyncio.gather(
        *(bea.delete(f"{MUTES}/tag/tag%20{n}") for n in range(5)),
        *(bea.put(f"{MUTES}/genre/g{n}") for n in range(5)),
    )
    assert await rig.db.primary.first(_COUNTS) is True


async def test_a_question_about_many_readers_is_one(rig: Rig) -> None:
    for name in ("bea", "cleo", "dora"):
        visitor = await signed_in(rig, name)
        await visitor.put(f"{MUTES}/tag/{name}")
    ids = [await id_of(rig, name) for name in ("bea", "cleo", "dora")]
    told = await asyncio.gather(*(door.mutes_of(rig.services.lookups, one) for one in ids))
    assert [one and one.tags for one in told] == [["bea"], ["cleo"], ["dora"]]
