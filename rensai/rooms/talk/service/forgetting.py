"""What stays when an account is gone: threads as they were, without its name."""

from datetime import datetime

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Tx
from rensai.rooms.talk.service.counting import touch
from rensai.rooms.talk.store import history as store

BATCH = 500


async def forget_reader(db: Database, clock: Clock, user_id: int) -> None:
    """Take the name off all that an account has written and reported, and its likes away.

    A batch is a transaction, and what is done is done: it goes on where it was interrupted.
    """
    for step in (_comments, _likes, _reports):
        while True:
            async with db.transaction() as tx:
                if await step(tx, user_id, clock.now()) < BATCH:
                    break


async def _comments(tx: Tx, user_id: int, now: datetime) -> int:
    return await store.blank_author(tx, user_id, BATCH, now)


async def _likes(tx: Tx, user_id: int, now: datetime) -> int:
    del now
    liked = await store.forget_likes(tx, user_id, BATCH)
    await touch(tx, *liked)
    return len(liked)


async def _reports(tx: Tx, user_id: int, now: datetime) -> int:
    del now
    return await store.forget_reports(tx, user_id, BATCH)
