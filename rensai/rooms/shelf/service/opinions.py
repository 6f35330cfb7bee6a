"""What a reader takes along of opinions: ratings with their reviews, and reading lists."""

from collections.abc import AsyncIterator

from rensai.kit.db import Reads
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers.door import Belongings
from rensai.rooms.shelf.model.lists import MOST_LISTS, ReadingList
from rensai.rooms.shelf.model.opinions import EntryLine, ListLine, RatingLine
from rensai.rooms.shelf.service.entries import BEFORE_ALL
from rensai.rooms.shelf.service.pages import BEGINNING
from rensai.rooms.shelf.service.restore_opinions import restore_lists, restore_ratings
from rensai.rooms.shelf.store import entries as entry_store
from rensai.rooms.shelf.store import lists as list_store
from rensai.rooms.shelf.store import ratings as rating_store

PORTION = 500


async def rating_rows(reads: Reads, user_id: int) -> AsyncIterator[RatingLine]:
    """What a reader thinks of stories."""
    after = 0
    while ratings := await rating_store.own_by_story(reads, user_id, after, PORTION):
        after = ratings[-1].story_id
        stories = await catalogue.story_cards(reads, {one.story_id for one in ratings})
        for one in ratings:
            story = stories.get(one.story_id)
            yield RatingLine(
                source=story and story.source,
                slug=story and story.slug,
                title=story and story.title,
                score=one.score,
                review_text=one.review_text,
                created_at=one.created_at,
                updated_at=one.updated_at,
            )


async def list_rows(reads: Reads, user_id: int) -> AsyncIterator[ListLine | EntryLine]:
    """A reader's lists, each with what is on it."""
    lists = await list_store.of_user(reads, user_id, BEGINNING, MOST_LISTS, public=False)
    for one in lists:
        yield ListLine(
            list=one.slug,
            title=one.title,
            description=one.description,
            is_public=one.is_public,
            created_at=one.created_at,
            updated_at=one.updated_at,
        )
        async for line in _entry_rows(reads, one):
            yield line


async def _entry_rows(reads: Reads, kept: ReadingList) -> AsyncIterator[EntryLine]:
    after = BEFORE_ALL
    while entries := await entry_store.following(reads, kept.id, after, PORTION):
        after = entries[-1].key
        stories = await catalogue.story_cards(reads, {one.story_id for one in entries})
        for one in entries:
            story = stories.get(one.story_id)
            yield EntryLine(
                list=kept.slug,
                source=story and story.source,
                slug=story and story.slug,
                title=story and story.title,
                note=one.note,
                added_at=one.added_at,
            )


OPINIONS = (
    Belongings("ratings", rating_rows, restore_ratings),
    Belongings("lists", list_rows, restore_lists),
)
"""The files of an archive that are of opinions."""
