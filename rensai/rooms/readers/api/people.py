"""Accounts over `/api/v1/admin/users`, for those who run the site."""

from datetime import datetime
from typing import Annotated, Literal, cast
from uuid import UUID

import msgspec
from litestar import Response, get, patch
from litestar.di import NamedDependency
from litestar.openapi.spec import OpenAPIFormat
from litestar.params import FromQuery, JSONBody, PathParameter, QueryParameter
from msgspec import Meta, Struct

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.bodies import Body
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page, page_of
from rensai.kit.web.personal import personal
from rensai.rooms.readers.door import require_role
from rensai.rooms.readers.errors import LastAdmin, UserNotFound
from rensai.rooms.readers.model import Role, User
from rensai.rooms.readers.model.profiles import (
    LONGEST_REASON,
    Action,
    Person,
    PersonChange,
    SearchBy,
    Wanted,
)
from rensai.rooms.readers.service import people as service

RoleName = Literal["user", "uploader", "moderator", "admin"]
Beginning = Annotated[
    str | None,
    QueryParameter(
        min_length=1, max_length=254, description="What the name or the address begins with."
    ),
]
OneRole = Annotated[RoleName | None, QueryParameter(description="Only accounts of this role.")]
# Text for the router, so that what is no id at all is told like one that nobody has.
PersonId = Annotated[
    str,
    PathParameter(
        description="The `id` that the list gave.",
        schema_extra={"format": OpenAPIFormat.UUID.value},
    ),
]


class AdminUser(Struct, frozen=True, rename="camel"):
    """An account, as those see it who run the site."""

    id: UUID
    username: str
    email: str
    email_verified: bool
    display_name: str
    role: RoleName
    is_active: bool
    is_banned: bool
    ban_reason: str | None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None

    @classmethod
    def of(cls, person: Person) -> "AdminUser":
        return cls(
            id=person.uid,
            username=person.username,
            email=person.email,
            email_verified=person.email_verified,
            display_name=person.display_name,
            role=cast("RoleName", person.role),
            is_active=person.is_active,
            is_banned=person.is_banned,
            ban_reason=person.ban_reason,
            created_at=person.created_at,
            updated_at=person.updated_at,
            deleted_at=person.deleted_at,
        )


class DoneToUser(Struct, frozen=True, rename="camel"):
    """Something that was done to an account; `actor` is null for the command line."""

    action: str
    detail: str
    actor: str | None
    created_at: datetime

    @classmethod
    def of(cls, action: Action) -> "DoneToUser":
        return cls(action.action, action.detail, action.actor, action.created_at)


class AdminUserDetail(Struct, frozen=True, rename="camel"):
    """An account, and what was done to it, latest first."""

    user: AdminUser
    actions: list[DoneToUser]


class AdminUserChange(Body, frozen=True):
    """What is to be different; what is left out or null stays as it is."""

    role: RoleName | None = None
    is_banned: bool | None = None
    ban_reason: Annotated[str, Meta(max_length=LONGEST_REASON)] | None = None
    is_active: bool | None = None
    email_verified: bool | None = None


@get(
    "/api/v1/admin/users",
    tags=["admin"],
    summary="List accounts",
    before_request=known_filters,
    security=SIGNED_IN,
    opt={"scope": "admin:write"},
)
async def list_users(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    q: Beginning = None,
    by: FromQuery[SearchBy] = SearchBy.NAME,
    role: OneRole = None,
    banned: FromQuery[bool] = False,
) -> Response[Page[AdminUser]]:
    """Accounts, newest first; or, with `q`, those whose name or address begins so, in order."""
    require_role(user, Role.ADMIN)
    secret = services.config.session_secret
    listing = cursors.kind("people", q, by.value, role, banned)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, (int,))
    found = await service.list_people(
        services.db.primary,
        Wanted(q, by, role, banned),
        after=None if after is None else int(str(after[0])),
        limit=limit,
    )
    page = page_of(found, limit, lambda last: cursors.encode(secret, listing, (last.id,)))
    items = [AdminUser.of(one) for one in page.items]
    return personal(Page(items, page.next_cursor, page.has_more))


@get(
    "/api/v1/admin/users/{user_id:str}",
    tags=["admin"],
    summary="One account",
    security=SIGNED_IN,
    opt={"scope": "admin:write", "errors": (UserNotFound,)},
)
async def one_account(
    services: NamedDependency[Services], user: NamedDependency[User | None], user_id: PersonId
) -> Response[AdminUserDetail]:
    """An account, deleted ones too, and the latest fifty things that were done to it."""
    require_role(user, Role.ADMIN)
    person = await service.person_of_uid(services.db.primary, _uid(user_id))
    done = await service.actions_on(services.db.primary, person.id)
    return personal(AdminUserDetail(AdminUser.of(person), [DoneToUser.of(one) for one in done]))


@patch(
    "/api/v1/admin/users/{user_id:str}",
    tags=["admin"],
    summary="Change an account",
    security=SIGNED_IN,
    opt={"scope": "admin:write", "errors": (UserNotFound, LastAdmin)},
)
async def change_user(
    data: JSONBody[AdminUserChange],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    user_id: PersonId,
) -> Response[AdminUser]:
    """Give an account another role, ban or close it, or open it again.

    Whoever is shut out is signed out everywhere at once. The last administrator stays one. Each
    change is written down with who made it.
    """
    admin = require_role(user, Role.ADMIN)
    person = await service.person_of_uid(services.db.primary, _uid(user_id))
    change = PersonChange(**msgspec.structs.asdict(data))
    async with services.db.transaction() as tx:
        changed = await service.change_person(
            tx, person.id, change, actor_id=admin.id, now=services.clock.now()
        )
    return personal(AdminUser.of(changed))


def _uid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as problem:
        raise UserNotFound from problem


routes = [list_users, one_account, change_user]
