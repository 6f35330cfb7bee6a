"""What nobody may read is as if it were not there, and comes back as it was on the shelf."""

import pytest

from rensai.kit.db import Command
from tests.rooms.shelf.desk import API, NOVEL, Desk, Reader
from tests.rooms.shelf.rows import all_of

pytestmark = pytest.mark.anyio

LISTS = (
    f"{NOVEL}/me/library",
    f"{NOVEL}/me/library?type=reading",
    f"{NOVEL}/me/library?type=bookmarks",
    f"{NOVEL}/me/history",
    f"{API}/library",
    f"{API}/history",
)
HIDING = {
    "a source is closed": "is_public = false",
    "a story is deleted": "deleted_at = now()",
    "a story is a draft": "status = 0",
}
_UNPUBLISH = Command("UPDATE chapters SET is_published = $2 WHERE id = $1")


@pytest.mark.parametrize("how", HIDING)
async def test_a_story_that_is_hidden_leaves_every_list_and_comes_back(
    desk: Desk, ada: Reader, how: str
) -> None:
    story, chapter = desk.stories["s2"], desk.chapters["s2 3"]
    for name in ("s1 1", "s2 3", "s3 2"):
        await ada.read(desk.chapters[name])
    before = {path: (await ada.ask(path))["items"] for path in LISTS}
    assert {len(items) for items in before.values()} == {3}
    async with desk.rig.db.transaction() as tx:
        await tx.run(Command(f"UPDATE stories SET {HIDING[how]} WHERE id = $1"), story.id)  # noqa: S608 - of the table above
    for path in LISTS:
        items = await ada.every(path.partition("?")[0], 1, **_query(path))
        assert len(items) == 2, path
        assert "s2" not in str(items).lower()
    body = {"chapter_id": chapter.id, "chapter_no": 3}
    place = {"chapterId": str(chapter.uid)}
    for answer in (
        await ada.client.put(f"{NOVEL}/me/progress/{story.id}", json=body),
        await ada.client.post(f"{NOVEL}/me/bookmarks/{story.id}", json={}),
        await ada.client.post(f"{API}/library", json={"seriesId": str(story.uid)}),
        await ada.client.patch(f"{API}/library/{story.uid}", json={"status": "dropped"}),
        await ada.client.delete(f"{API}/library/{story.uid}"),
        await ada.client.post(f"{API}/progress", json=place),
        await ada.client.get(f"{API}/progress/{chapter.uid}"),
        await ada.client.get(f"{API}/progress/series/truyen:s2"),
    ):
        assert answer.status_code == 404, answer.text
    bulk = {"items": [{"story_id": story.id, **body}]}
    answer = await ada.client.post(f"{NOVEL}/me/progress/bulk", json=bulk)
    assert (answer.json()["updated_count"], len(answer.json()["not_found"])) == (0, 1)
    assert len((await all_of(desk, ada)).progress) == 3
    async with desk.rig.db.transaction() as tx:
        shown = "UPDATE stories SET is_public = true, deleted_at = NULL, status = 1 WHERE id = $1"
        await tx.run(Command(shown), story.id)
    assert {path: (await ada.ask(path))["items"] for path in LISTS} == before


def _query(path: str) -> dict[str, object]:
    name, _, value = path.partition("?")[2].partition("=")
    return {name: value} if name else {}


async def test_a_chapter_that_is_hidden_leaves_the_number_and_nothing_else(
    desk: Desk, ada: Reader
) -> None:
    chapter = desk.chapters["s1 2"]
    await ada.read(chapter, scroll=0.5)
    async with desk.rig.db.transaction() as tx:
        await tx.run(_UNPUBLISH, chapter.id, False)
    (item,) = (await ada.ask(f"{NOVEL}/me/library"))["items"]
    assert item["progress"] | {"updated_at": None} == {
        "chapter_id": None,
        "chapter_no": 2.0,
        "chapter_slug": None,
        "chapter_title": None,
        "scroll_position": 0.5,
        "updated_at": None,
    }
    (item,) = (await ada.ask(f"{API}/library"))["items"]
    assert (item["progress"]["chapterId"], item["progress"]["sortOrder"]) == (None, 2.0)
    told = await ada.ask(f"{API}/progress/series/truyen:s1")
    assert (told["current"]["chapterId"], told["items"]) == (None, [])
    assert (await ada.ask(f"{NOVEL}/me/history"))["items"] == []
    async with desk.rig.db.transaction() as tx:
        await tx.run(_UNPUBLISH, chapter.id, True)
    assert len((await ada.ask(f"{NOVEL}/me/history"))["items"]) == 1


async def test_a_bookmark_of_what_is_hidden_can_still_be_removed(desk: Desk, ada: Reader) -> None:
    await ada.keep(desk.stories["s1"])
    await desk.hide("s1")
    path = f"{NOVEL}/me/bookmarks/{desk.stories['s1'].id}"
    assert (await ada.client.delete(path)).status_code == 204
    await desk.hide("s1", public=True)
    assert (await ada.ask(f"{NOVEL}/me/library"))["items"] == []
