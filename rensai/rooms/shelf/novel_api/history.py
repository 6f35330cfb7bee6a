"""What was read, over the novel API."""

from typing import cast

from litestar import Response, delete, get
from litestar.di import NamedDependency
from litestar.status_codes import HTTP_204_NO_CONTENT

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, NovelPage, page_of
from rensai.kit.web.personal import personal
from rensai.rooms.readers.door import Role, User, require_role
from rensai.rooms.shelf.model import KEY_TYPES, Key
from rensai.rooms.shelf.novel_api.shapes import READ, WRITE, NovelWasRead, OneStory
from rensai.rooms.shelf.service import history as service
from rensai.rooms.shelf.service.buffer import ProgressBuffer


@get(
    "/wp-json/novel/v1/me/history",
    tags=["library"],
    summary="What I have read",
    before_request=known_filters,
    security=SIGNED_IN,
    opt=READ,
)
async def history(
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[NovelPage[NovelWasRead]]:
    """Chapters that were read, latest first, each once. After `HISTORY_DAYS` one leaves the list
    and stays a read one."""
    reader = require_role(user, Role.USER)
    secret, listing = services.config.session_secret, cursors.kind("novel-history", reader.id)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, KEY_TYPES)
    read = await service.list_history(
        services, progress, reader.id, after=cast("Key | None", after), limit=limit
    )
    page = page_of(read, limit, lambda last: cursors.encode(secret, listing, last.row.recent))
    items = [NovelWasRead.of(one) for one in page.items]
    return personal(NovelPage(items, page.next_cursor, page.has_more))


@delete(
    "/wp-json/novel/v1/me/history",
    status_code=HTTP_204_NO_CONTENT,
    tags=["library"],
    summary="Forget what I have read",
    before_request=known_filters,
    security=SIGNED_IN,
    opt=WRITE,
)
async def forget_history(
    services: NamedDependency[Services],
    progress: NamedDependency[ProgressBuffer],
    user: NamedDependency[User | None],
    *,
    story_id: OneStory = None,
) -> None:
    """All of it, or what was read of one story: no chapter is a read one any more. Where I am in
    stories stays."""
    reader = require_role(user, Role.USER)
    if story_id is None:
        await service.forget_history(services.db, progress, reader.id)
    else:
        await service.forget_history_of(services.db, progress, reader.id, story_id)


routes = [history, forget_history]
