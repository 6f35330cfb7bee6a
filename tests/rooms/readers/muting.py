"""What somebody has muted, written straight into the tables."""

from rensai.kit.db import Command, Database, Query

_READER = Query("SELECT id FROM users WHERE username = $1", int)
_SETTINGS = Command(
    """
    INSERT INTO reader_settings (user_id, of_age_since, show_adult, mute_count, mutes_version)
    VALUES ($1, CASE WHEN $2 THEN now() END, CASE WHEN $3 THEN false END, $4, 1)
    ON CONFLICT (user_id) DO UPDATE SET
        of_age_since = excluded.of_age_since, show_adult = excluded.show_adult,
        mute_count = excluded.mute_count, mutes_version = reader_settings.mutes_version + 1
    """
)
_FORGET = Command("DELETE FROM mutes WHERE user_id = $1")
_MUTE = Command(
    "INSERT INTO mutes (user_id, kind, folded, value) VALUES ($1, $2, lower($3::text), $3)"
)


async def say(
    db: Database,
    name: str,
    *mutes: tuple[str, str],
    hide_adult: bool = False,
    of_age: bool = False,
) -> None:
    """All that an account leaves out from now on, by kind and value, and whether it is of age."""
    async with db.transaction() as tx:
        reader = await tx.first(_READER, name)
        await tx.run(_SETTINGS, reader, of_age, hide_adult, len(mutes))
        await tx.run(_FORGET, reader)
        await tx.run_many(_MUTE, [(reader, *mute) for mute in mutes])
