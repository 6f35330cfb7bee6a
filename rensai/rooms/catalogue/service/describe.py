"""What an operator says of a story: whom it is for, and by which tags it is found."""

from msgspec import UNSET

from rensai.kit.db import Reads, Tx
from rensai.kit.errors import Invalid, NotFound
from rensai.rooms.catalogue.model import AGE_RATINGS, LOCAL, Description
from rensai.rooms.catalogue.service.lines import lines, shortened
from rensai.rooms.catalogue.service.telling import tell_changed
from rensai.rooms.catalogue.store import descriptions as store
from rensai.rooms.catalogue.store import stories

MOST_TAGS = 100
_LONGEST_TAG = 120


async def describe_story(tx: Tx, story_id: int, said: Description) -> bool:
    """Note what is said of a story; whether that is a change. Tags are each time the full set."""
    if said.age_rating is not UNSET and said.age_rating not in (None, *AGE_RATINGS):
        raise Invalid(f"An age rating is one of {', '.join(AGE_RATINGS)}.")
    tags = said.tags if said.tags is UNSET else _tags(said.tags)
    hidden_tags = said.hidden_tags if said.hidden_tags is UNSET else _tags(said.hidden_tags)
    known = await store.hold(tx, story_id)
    if known is None:
        raise NotFound(f"There is no story {story_id}.")
    wanted = store.Described(
        age_rating=known.age_rating if said.age_rating is UNSET else said.age_rating,
        tags=known.tags if tags is UNSET else tags,
        hidden_tags=known.hidden_tags if hidden_tags is UNSET else hidden_tags,
    )
    if wanted == known:
        return False
    await store.write(tx, story_id, wanted)
    await tell_changed(tx, [story_id])
    return True


async def story_at(reads: Reads, address: str) -> int:
    """The id of the story at SOURCE:SLUG; a slug alone is that of a story uploaded here."""
    source, colon, slug = address.rpartition(":")
    # What no text may hold is no address, and must not reach the database.
    story_id = None
    if address.isprintable():
        story_id = await stories.find(reads, source if colon else LOCAL, slug)
    if story_id is None:
        raise NotFound(f"There is no story at {shortened(address)!r}.")
    return story_id


def _tags(tags: list[str]) -> list[str]:
    return lines("tag", tags, each=_LONGEST_TAG, most=MOST_TAGS)
