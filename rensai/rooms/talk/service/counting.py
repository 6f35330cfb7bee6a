"""Likes and replies are written down where they are made and counted a little later.

So a comment that a thousand people like at once is written to once every few seconds, and
nobody waits for anybody.
"""

from rensai.kit.db import Tx
from rensai.kit.events import emit
from rensai.rooms.talk.events import ReactionsChanged
from rensai.rooms.talk.store import likes as store


async def touch(tx: Tx, *comment_ids: int | None) -> None:
    """Have these comments counted anew; None stands for no comment."""
    wanted = dict.fromkeys(one for one in comment_ids if one is not None)
    await emit(tx, *(ReactionsChanged(comment_id) for comment_id in wanted))


async def count(tx: Tx, comment_id: int) -> bool:
    """Count the likes and the shown replies of a comment; False when nothing is new.

    It is held before it is counted: of two who count it, the later one has seen more.
    """
    if not await store.hold(tx, comment_id):
        return False
    return await store.write(tx, comment_id, await store.count(tx, comment_id))
