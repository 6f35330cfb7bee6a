"""SQL of the room."""

from rensai.kit.db import Query, Reads
from rensai.rooms.instance.model import Settings

_SETTINGS = Query(
    """
    SELECT name, description, terms_url, contact_email, default_language, allow_nsfw,
        require_email_verification, max_series_per_user, allowed_content_types, custom_css,
        announcement, updated_at
    FROM instance_config
    """,
    Settings,
)


async def settings(reads: Reads) -> Settings | None:
    return await reads.first(_SETTINGS)
