"""Saying that stories have changed, in the transaction that changes them."""

from collections.abc import Sequence

from rensai.kit.db import Tx
from rensai.kit.events import emit
from rensai.rooms.catalogue.events import StoryChanged
from rensai.rooms.catalogue.store import stories as store


async def tell_changed(tx: Tx, story_ids: Sequence[int]) -> None:
    """Note and say that these stories, which are held, have changed.

    Their place in the lists of what is new stays: no reader has anything new to read.
    """
    if story_ids:
        await store.raise_versions(tx, story_ids)
        await emit(tx, *(StoryChanged(story_id=story_id) for story_id in story_ids))
