"""Stories that tell the same in other languages."""

from collections.abc import Sequence

from rensai.kit.db import Tx
from rensai.kit.errors import Invalid, NotFound
from rensai.kit.ids import new_uid
from rensai.rooms.catalogue.service.telling import tell_changed
from rensai.rooms.catalogue.store import translations as store

MOST_TRANSLATIONS = 100
"""How many stories one group may have."""


async def link_translations(tx: Tx, story_ids: Sequence[int]) -> bool:
    """Let these stories be translations of one another; whether that is a change.

    Groups that they are in already become one.
    """
    named = set(story_ids)
    if not 2 <= len(named) <= MOST_TRANSLATIONS:
        raise Invalid(f"Name 2 to {MOST_TRANSLATIONS} different stories.")
    members = await _members(tx, named)
    if len(members) > MOST_TRANSLATIONS:
        raise Invalid(
            f"Together they would be {len(members)} translations; "
            f"a group has at most {MOST_TRANSLATIONS}."
        )
    groups = sorted({member.group for member in members if member.group is not None})
    group = groups[0] if groups else new_uid()
    moved = [member.id for member in members if member.group != group]
    if not moved:
        return False
    await store.move(tx, moved, group)
    await tell_changed(tx, [member.id for member in members])  # each has other translations now
    return True


async def unlink_translation(tx: Tx, story_id: int) -> bool:
    """Take a story out of its group; False when it is in none. A group of one is none."""
    members = await _members(tx, {story_id})
    if not any(member.id == story_id and member.group is not None for member in members):
        return False
    rest = [member.id for member in members if member.id != story_id]
    await store.move(tx, [story_id] if len(rest) > 1 else [story_id, *rest], None)
    await tell_changed(tx, [member.id for member in members])
    return True


async def _members(tx: Tx, named: set[int]) -> list[store.Member]:
    await store.lock(tx)
    members = await store.members(tx, sorted(named))
    missing = named - {member.id for member in members if not member.is_deleted}
    if missing:
        raise NotFound(f"There is no story {min(missing)}.")
    return members
