"""SQL of where readers are in stories."""

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.shelf.model import Progress

_COLUMNS = """story_id, chapter_id, chapter_no::float8 AS chapter_no, scroll_position, page_number,
        updated_at"""
_FIND = Query(
    f"SELECT {_COLUMNS} FROM reading_progress WHERE user_id = $1 AND story_id = $2", Progress
)
_FORGET = Command("DELETE FROM reading_progress WHERE user_id = $1 AND story_id = $2")


async def find(reads: Reads, user_id: int, story_id: int) -> Progress | None:
    return await reads.first(_FIND, user_id, story_id)


async def forget(tx: Tx, user_id: int, story_id: int) -> bool:
    """Whether there was something to forget."""
    return await tx.run(_FORGET, user_id, story_id) > 0
