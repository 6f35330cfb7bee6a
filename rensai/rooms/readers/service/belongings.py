"""What this room itself has of a reader, as lines of an archive."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import TypeVar

import msgspec
from msgspec import Struct

from rensai.kit.db import Reads, Tx
from rensai.kit.errors import Invalid
from rensai.rooms.readers.model import User
from rensai.rooms.readers.model.belongings import Belongings
from rensai.rooms.readers.model.mutes import MOST_MUTES, Muted, MuteKind
from rensai.rooms.readers.model.settings import (
    NEVER,
    FontFamily,
    FontSize,
    Language,
    LineHeight,
    PageWidth,
    Settings,
    SettingsChange,
    Theme,
    Warnings,
)
from rensai.rooms.readers.service.mutes import value_of
from rensai.rooms.readers.service.settings import changed_settings
from rensai.rooms.readers.store import mutes, settings

T = TypeVar("T")


class SettingsLine(Struct, frozen=True, rename="camel"):
    """`settings.jsonl` has one line: all that somebody has set."""

    updated_at: datetime
    font_size: FontSize
    font_family: FontFamily
    line_height: LineHeight
    theme: Theme
    page_width: PageWidth
    warnings: Warnings
    of_age_since: datetime | None = None
    show_adult: bool | None = None
    language: Language | None = None


class MuteLine(Struct, frozen=True, rename="camel"):
    """A line of `mutes.jsonl`: one thing that somebody does not want to see."""

    kind: MuteKind
    value: str
    created_at: datetime


def read_lines(kind: type[T], lines: Sequence[bytes]) -> list[T]:
    """The lines that can be read as this; the others are passed over."""
    decode = msgspec.json.Decoder(kind).decode
    found: list[T] = []
    for line in lines:
        try:
            found.append(decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
    return found


async def settings_rows(reads: Reads, user_id: int) -> AsyncIterator[Struct]:
    """What somebody has set, if it is anything."""
    kept = await settings.settings(reads, user_id)
    if kept is not None and kept.updated_at > NEVER:
        yield SettingsLine(
            updated_at=kept.updated_at,
            font_size=kept.font_size,
            font_family=kept.font_family,
            line_height=float(kept.line_height),
            theme=Theme(kept.theme),
            page_width=PageWidth(kept.page_width),
            warnings=Warnings(kept.warnings),
            of_age_since=kept.of_age_since,
            show_adult=kept.show_adult,
            language=kept.language,
        )


async def restore_settings(tx: Tx, user: User, lines: Sequence[bytes], now: datetime) -> int:
    """Take over what was set elsewhere, if that is newer than what was set here."""
    taken = 0
    for line in read_lines(SettingsLine, lines):
        kept = await settings.hold(tx, user.id)
        written = min(_in_time(line.updated_at, now), now)
        if written <= kept.updated_at:
            taken += written == kept.updated_at
            continue
        try:
            changed = _taken_over(kept, line, written, now)
        except Invalid:
            continue
        await settings.write(tx, user.id, changed)
        taken += 1
    return taken


def _taken_over(kept: Settings, line: SettingsLine, written: datetime, now: datetime) -> Settings:
    of_age_since = None if line.of_age_since is None else min(_in_time(line.of_age_since, now), now)
    base = msgspec.structs.replace(kept, of_age_since=of_age_since, show_adult=None)
    change = SettingsChange(
        font_size=line.font_size,
        font_family=line.font_family,
        line_height=line.line_height,
        theme=line.theme,
        page_width=line.page_width,
        warnings=line.warnings,
        show_adult=line.show_adult,
        language=line.language,
    )
    return changed_settings(base, change, written)


async def mutes_rows(reads: Reads, user_id: int) -> AsyncIterator[Struct]:
    """Everything that somebody has muted."""
    for one in await mutes.listed(reads, user_id):
        yield MuteLine(MuteKind(one.kind), one.value, one.created_at)


async def restore_mutes(tx: Tx, user: User, lines: Sequence[bytes], now: datetime) -> int:
    """Mute what was muted elsewhere, as long as there is room."""
    wanted: dict[tuple[str, str], Muted] = {}
    taken = 0
    for line in read_lines(MuteLine, lines):
        try:
            value = value_of(line.kind, line.value)
        except Invalid:
            continue
        taken += 1
        made = min(_in_time(line.created_at, now), now)
        wanted.setdefault(
            (line.kind.value, mutes.folded(value)), Muted(line.kind.value, value, made)
        )
    if wanted:
        await settings.hold(tx, user.id)
        known = {(one.kind, mutes.folded(one.value)) for one in await mutes.listed(tx, user.id)}
        fresh = [one for key, one in wanted.items() if key not in known]
        room = MOST_MUTES - len(known)
        await mutes.add(tx, user.id, fresh[:room])
        taken -= max(0, len(fresh) - room)
    return taken


def _in_time(moment: datetime, now: datetime) -> datetime:
    """A moment that can be compared; one without a zone is taken for UTC."""
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=now.tzinfo)


belongings = (
    Belongings("settings", settings_rows, restore_settings),
    Belongings("mutes", mutes_rows, restore_mutes),
)
