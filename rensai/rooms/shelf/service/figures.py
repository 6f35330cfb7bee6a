"""What ratings come to, written while a story is counted."""

from collections import defaultdict

from rensai.kit.db import Tx
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import Ratings, StoriesCounted
from rensai.rooms.shelf.model.ratings import HIGHEST, NO_RATINGS, Summary
from rensai.rooms.shelf.service.bookmarks import followers_of
from rensai.rooms.shelf.store import figures as store


async def count_opinions(tx: Tx, event: StoriesCounted) -> None:
    """Give the figures of these stories, inside the transaction that counts them.

    The stories are held by then and in the order of their ids, so two counts never wait for each
    other, and nobody who rates waits for a story.
    """
    spread: defaultdict[int, list[int]] = defaultdict(lambda: [0] * HIGHEST)
    for tally in await store.count(tx, event.story_ids):
        spread[tally.story_id][tally.score - 1] = tally.count
    summaries = {
        story_id: Summary(spread[story_id]) if story_id in spread else NO_RATINGS
        for story_id in sorted(event.story_ids)
    }
    await store.record(tx, {story_id: one.distribution for story_id, one in summaries.items()})
    followers = await followers_of(tx, event.story_ids)
    await catalogue.record_ratings(
        tx,
        [
            Ratings(story_id, one.average, one.count, followers[story_id])
            for story_id, one in summaries.items()
        ],
    )
