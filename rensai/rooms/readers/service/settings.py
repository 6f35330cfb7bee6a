"""What readers have set for themselves."""

import re
from datetime import datetime
from decimal import Decimal
from enum import Enum

import msgspec
from msgspec import UNSET

from rensai.kit.db import Reads, Tx
from rensai.kit.lookups import Lookups
from rensai.kit.texts import wrong
from rensai.rooms.readers.model.settings import DEFAULTS, Settings, SettingsChange
from rensai.rooms.readers.store import settings as store

_FONT_FAMILY = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,39}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{1,8})*")


async def is_of_age(lookups: Lookups, user_id: int) -> bool:
    """Whether this reader has said that they may see what is for adults."""
    return await lookups.ask(store.of_age, user_id) or False


async def settings_of(reads: Reads, user_id: int) -> Settings:
    """What a reader has set, with the defaults for the rest."""
    return await store.settings(reads, user_id) or DEFAULTS


async def change_settings(tx: Tx, user_id: int, change: SettingsChange, now: datetime) -> Settings:
    """Change what is given, and say how all of it is then."""
    changed = changed_settings(await store.hold(tx, user_id), change, now)
    await store.write(tx, user_id, changed)
    return changed


def changed_settings(settings: Settings, change: SettingsChange, now: datetime) -> Settings:
    """The settings with the change; whoever shows adult stories must have said to be of age."""
    given = {
        name: value.value if isinstance(value, Enum) else value
        for name, value in msgspec.structs.asdict(change).items()
        if value is not UNSET
    }
    is_adult = given.pop("is_adult", None)
    if is_adult is not None:
        given["of_age_since"] = (settings.of_age_since or now) if is_adult else None
    if "line_height" in given:
        given["line_height"] = Decimal(str(round(given["line_height"], 2)))
    changed = msgspec.structs.replace(settings, **given, updated_at=now)
    if changed.show_adult and changed.of_age_since is None:
        if given.get("show_adult"):
            raise wrong("showAdult", "First say that you are of age: isAdult.")
        changed = msgspec.structs.replace(changed, show_adult=None)
    if not _FONT_FAMILY.fullmatch(changed.font_family):
        raise wrong("fontFamily", "It must be a plain name of at most 40 characters.")
    if changed.language is not None and not _is_language(changed.language):
        raise wrong("language", "It must be a language tag such as vi or zh-Hant.")
    return changed


def _is_language(text: str) -> bool:
    return len(text) <= 10 and _LANGUAGE.fullmatch(text) is not None
