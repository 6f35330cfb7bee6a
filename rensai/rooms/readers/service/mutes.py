"""What readers do not want to see."""

import re
from collections.abc import Sequence
from datetime import datetime

from rensai.kit import texts
from rensai.kit.db import Reads, Tx
from rensai.kit.lookups import Lookups
from rensai.rooms.readers.errors import TooManyMutes
from rensai.rooms.readers.model.mutes import LONGEST_VALUE, MOST_MUTES, Muted, MuteKind, Mutes
from rensai.rooms.readers.store import mutes as store
from rensai.rooms.readers.store import settings

_SLUG = re.compile(r"[a-z0-9-]{1,191}")
_TERM = re.compile(r"[a-z0-9][a-z0-9-]{0,39}:[a-z0-9-]{1,191}")


async def mutes_of(lookups: Lookups, user_id: int) -> Mutes | None:
    """What this reader leaves out of every list, or None: cheap enough for every request."""
    found = await lookups.ask(store.mutes_by_reader, user_id)
    if found is None:
        return None
    return Mutes(
        version=found.version,
        tags=found.tags,
        genres=found.genres,
        authors=found.authors,
        terms=found.terms,
        hide_adult=found.hide_adult,
    )


async def list_mutes(reads: Reads, user_id: int) -> list[Muted]:
    """Everything that a reader has muted, in order."""
    return await store.listed(reads, user_id)


async def mute(tx: Tx, user_id: int, kind: MuteKind, value: str, now: datetime) -> bool:
    """Leave something out from now on; False when it was left out already."""
    return await _add(tx, user_id, [Muted(kind.value, value_of(kind, value), now)]) > 0


async def _add(tx: Tx, user_id: int, mutes: Sequence[Muted]) -> int:
    await settings.hold(tx, user_id)
    known = await store.count(tx, user_id)
    added = await store.add(tx, user_id, mutes)
    if known + added > MOST_MUTES:
        raise TooManyMutes
    return added


async def unmute(tx: Tx, user_id: int, kind: MuteKind, value: str) -> bool:
    """Let something be seen again; False when it was not muted."""
    return await store.remove(tx, user_id, kind.value, value)


def value_of(kind: MuteKind, text: str) -> str:
    """A value as it is kept; `Invalid` says what such a value looks like."""
    if kind is MuteKind.GENRE and not _SLUG.fullmatch(text):
        raise texts.wrong("value", "A genre is named by its slug: a-z, 0-9 and hyphens.")
    if kind is MuteKind.WARNING and not _TERM.fullmatch(text):
        raise texts.wrong("value", "A warning is named taxonomy:slug, such as warning:violence.")
    return " ".join(texts.line("value", text, most=LONGEST_VALUE).split())
