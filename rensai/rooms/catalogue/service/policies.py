"""Which sources are open to everybody, and on whose rights that rests."""

import re

from msgspec import UNSET, UnsetType

from rensai.kit.clock import Clock
from rensai.kit.db import Database, Reads, Tx
from rensai.kit.errors import Invalid
from rensai.kit.events import emit
from rensai.rooms.catalogue.events import SourcePolicyChanged, StoryChanged
from rensai.rooms.catalogue.model import Policy
from rensai.rooms.catalogue.service.lines import one_line, shortened
from rensai.rooms.catalogue.service.steps import STEP, in_steps
from rensai.rooms.catalogue.store import policies as store
from rensai.rooms.catalogue.store import stories
from rensai.rooms.catalogue.store.received_stories import lock_source

_SOURCE = re.compile(r"[^\s\x00-\x1f\x7f-\x9f\ud800-\udfff:/]{1,40}")
_LONGEST_RIGHTS = 2_000


async def list_policies(reads: Reads) -> list[Policy]:
    """Every source that has stories or a policy."""
    return await store.every(reads)


async def set_policy(
    db: Database,
    clock: Clock,
    source: str,
    *,
    is_public: bool | UnsetType = UNSET,
    rights: str | UnsetType = UNSET,
) -> int:
    """Open a source to everybody or close it; how many stories became another for it.

    It holds from the first moment for what comes in, and is written onto the stories in steps.
    Whoever is interrupted may do the same again. UNSET leaves what is known; a source of which
    nothing is known is open.
    """
    _check(source)
    if rights is not UNSET and rights.strip():
        rights = one_line("The rights", rights, _LONGEST_RIGHTS)

    async with db.transaction() as tx:
        await lock_source(tx, source)
        known = await store.find(tx, source)
        before = known or store.Known(is_public=True, rights="")
        wanted = store.Known(
            is_public=before.is_public if is_public is UNSET else is_public,
            rights=before.rights if rights is UNSET else rights.strip(),
        )
        if wanted != known:
            await store.write(tx, source, wanted, clock.now())
    return await _apply(db, source)


async def clear_policy(db: Database, source: str) -> int:
    """Forget the policy of a source, which opens it; how many stories became another for it."""
    _check(source)
    async with db.transaction() as tx:
        await lock_source(tx, source)
        await store.clear(tx, source)
    return await _apply(db, source)


async def _apply(db: Database, source: str) -> int:
    """Let every story of a source be what its policy says, which may change meanwhile."""
    flipped, after = 0, 0

    async def step(tx: Tx) -> bool:
        nonlocal flipped, after
        await lock_source(tx, source)
        policy = await store.find(tx, source)
        is_public = policy is None or policy.is_public
        found = await store.unlike(tx, source, is_public=is_public, after=after, limit=STEP + 1)
        ids = found[:STEP]
        if ids:
            await store.flip(tx, ids, is_public=is_public)
            mates = await stories.other_translations(tx, ids)
            await emit(tx, *(StoryChanged(story_id=id_) for id_ in mates))
        if len(found) <= STEP and flipped + len(ids):
            # With the last stories, so that it is told unless there is something left to do.
            await emit(tx, SourcePolicyChanged(source=source))
        flipped += len(ids)
        after = ids[-1] if ids else after
        return len(found) > STEP

    await in_steps(db, step)
    return flipped


def _check(source: str) -> None:
    if not _SOURCE.fullmatch(source):
        raise Invalid(
            f"{shortened(source)!r} is no source: 1 to 40 characters without spaces, : and /."
        )
