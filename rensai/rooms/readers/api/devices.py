"""Devices that are signed in, over `/api/v1/auth/sessions`."""

from datetime import datetime
from typing import cast
from uuid import UUID

from litestar import Response, delete, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page, page_of
from rensai.rooms.readers.api.shapes import DeviceTold, device_of
from rensai.rooms.readers.door import require_role
from rensai.rooms.readers.model import Role, User
from rensai.rooms.readers.model.signing import Visit
from rensai.rooms.readers.service import devices

_PRIVATE = {"Cache-Control": "private, no-store"}


@get(
    "/api/v1/auth/sessions",
    tags=["auth"],
    summary="My devices",
    security=SIGNED_IN,
    opt={"scope": "account:read"},
    before_request=known_filters,
)
async def list_sessions(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    visit: NamedDependency[Visit | None],
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[Page[DeviceTold]]:
    """Where the account is signed in: browsers by their cookie, apps by their tokens.

    `network` is where a device signed in from, roughly. `lastUsedAt` is right to within ten
    minutes.
    """
    account = require_role(user, Role.USER)
    secret, kind = services.config.session_secret, cursors.kind("sessions", account.id)
    after = None
    if cursor is not None:
        key = cursors.decode(secret, kind, cursor, (datetime, UUID))
        after = cast("tuple[datetime, UUID]", key)
    rows = await devices.list_devices(
        services.db.primary, account.id, now=services.clock.now(), limit=limit, after=after
    )
    own = None if visit is None else visit.session
    page = page_of(
        [device_of(row, own) for row in rows],
        limit,
        lambda row: cursors.encode(secret, kind, (row.created_at, row.id)),
    )
    return Response(page, headers=_PRIVATE)


@delete(
    "/api/v1/auth/sessions/{session_id:uuid}",
    tags=["auth"],
    summary="Sign a device out",
    security=SIGNED_IN,
    opt={"scope": "account:write"},
)
async def delete_session(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    session_id: FromPath[UUID],
) -> None:
    """Its cookie or its tokens are good for nothing from now on."""
    account = require_role(user, Role.USER)
    async with services.db.transaction() as tx:
        await devices.end_device(tx, account.id, session_id, services.clock.now())


@delete(
    "/api/v1/auth/sessions",
    tags=["auth"],
    summary="Sign all other devices out",
    security=SIGNED_IN,
    opt={"scope": "account:write"},
)
async def delete_other_sessions(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    visit: NamedDependency[Visit | None],
) -> None:
    """Every device but the one that asks. API tokens stay."""
    account = require_role(user, Role.USER)
    own = None if visit is None else visit.session
    async with services.db.transaction() as tx:
        await devices.end_devices(tx, account.id, services.clock.now(), but=own)


routes = [list_sessions, delete_session, delete_other_sessions]
