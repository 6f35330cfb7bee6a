"""SQL of what readers have set for themselves."""

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.model.settings import Settings

_COLUMNS = """font_size, font_family, line_height, theme, page_width, of_age_since, show_adult,
    warnings, language, updated_at"""
_OF_AGE = Query(
    """
    SELECT user_id FROM reader_settings
    WHERE user_id = ANY($1::bigint []) AND of_age_since IS NOT NULL
    """,
    int,
)
_SETTINGS = Query(f"SELECT {_COLUMNS} FROM reader_settings WHERE user_id = $1", Settings)
# Whoever changes anything holds the row first, so that two changes at once are one after another.
_HOLD = Query(
    f"""
    INSERT INTO reader_settings (user_id) VALUES ($1)
    ON CONFLICT (user_id) DO UPDATE SET user_id = excluded.user_id
    RETURNING {_COLUMNS}
    """,
    Settings,
)
_WRITE = Command(
    """
    UPDATE reader_settings SET font_size = $2, font_family = $3, line_height = $4, theme = $5,
        page_width = $6, of_age_since = $7,
        mutes_version = mutes_version + (show_adult IS DISTINCT FROM $8)::integer,
        show_adult = $8, warnings = $9, language = $10, updated_at = $11
    WHERE user_id = $1
    """
)


async def of_age(reads: Reads, user_ids: list[int]) -> dict[int, bool]:
    """Those of these who have said that they are of age."""
    return dict.fromkeys(await reads.all(_OF_AGE, user_ids), True)


async def settings(reads: Reads, user_id: int) -> Settings | None:
    """What somebody has set, or None when that is nothing."""
    return await reads.first(_SETTINGS, user_id)


async def hold(tx: Tx, user_id: int) -> Settings:
    """The same, made with the defaults if need be, and held until the transaction ends."""
    return (await tx.all(_HOLD, user_id))[0]


async def write(tx: Tx, user_id: int, settings: Settings) -> None:
    """Store all of what somebody has set; the row is held already."""
    await tx.run(
        _WRITE,
        user_id,
        settings.font_size,
        settings.font_family,
        settings.line_height,
        settings.theme,
        settings.page_width,
        settings.of_age_since,
        settings.show_adult,
        settings.warnings,
        settings.language,
        settings.updated_at,
    )
