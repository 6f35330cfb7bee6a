"""API tokens over `/api/v1/auth/tokens`."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from litestar import Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_201_CREATED
from msgspec import Meta

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.bodies import Body
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page, page_of
from rensai.rooms.readers.api.shapes import MadeToken, Token, made_token, token_of
from rensai.rooms.readers.door import require_role
from rensai.rooms.readers.errors import InvalidToken, TooManyTokens
from rensai.rooms.readers.model import Role, User
from rensai.rooms.readers.model.signing import Scope, Visit
from rensai.rooms.readers.service import tokens

_PRIVATE = {"Cache-Control": "private, no-store"}


class WantedToken(Body, frozen=True):
    """What the token is for, and what it may do: without `scopes`, all that the account may."""

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    scopes: Annotated[list[Scope], Meta(min_length=1, max_length=20)] | None = None
    expires_at: Annotated[datetime, Meta(tz=True)] | None = None


@post(
    "/api/v1/auth/tokens",
    status_code=HTTP_201_CREATED,
    tags=["auth"],
    summary="Make an API token",
    security=SIGNED_IN,
    opt={"scope": "account:write", "errors": (TooManyTokens,)},
)
async def create_token(
    data: JSONBody[WantedToken],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    visit: NamedDependency[Visit | None],
) -> Response[MadeToken]:
    """A token for programs. `token` is told this once: afterwards only its beginning is known.

    A token cannot give another token more than it has itself. An account has at most 100.
    """
    require_role(user, Role.USER)
    if visit is None:  # cannot be: the account came by one
        raise InvalidToken
    async with services.db.transaction() as tx:
        made = await tokens.create_token(
            tx,
            visit,
            name=data.name,
            scopes=None if data.scopes is None else [scope.value for scope in data.scopes],
            expires_at=data.expires_at,
            now=services.clock.now(),
        )
    return Response(made_token(made), headers=_PRIVATE)


@get(
    "/api/v1/auth/tokens",
    tags=["auth"],
    summary="My API tokens",
    security=SIGNED_IN,
    opt={"scope": "account:read"},
    before_request=known_filters,
)
async def list_tokens(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[Page[Token]]:
    """The API tokens of the account, newest first, without their secrets."""
    account = require_role(user, Role.USER)
    secret, kind = services.config.session_secret, cursors.kind("tokens", account.id)
    after = None
    if cursor is not None:
        (after,) = cursors.decode(secret, kind, cursor, (UUID,))
    rows = await tokens.list_tokens(
        services.db.primary,
        account.id,
        limit=limit,
        after=after if isinstance(after, UUID) else None,
    )
    page = page_of(
        [token_of(row) for row in rows], limit, lambda row: cursors.encode(secret, kind, (row.id,))
    )
    return Response(page, headers=_PRIVATE)


@delete(
    "/api/v1/auth/tokens/{token_id:uuid}",
    tags=["auth"],
    summary="End an API token",
    security=SIGNED_IN,
    opt={"scope": "account:write"},
)
async def delete_token(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    token_id: FromPath[UUID],
) -> None:
    """The token is good for nothing from now on."""
    account = require_role(user, Role.USER)
    async with services.db.transaction() as tx:
        await tokens.delete_token(tx, account.id, token_id)


routes = [create_token, list_tokens, delete_token]
