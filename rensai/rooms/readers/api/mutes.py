"""What a reader does not want to see, over `/api/v1/users/me/mutes`."""

from datetime import datetime
from typing import Annotated

from litestar import Response, delete, get, put
from litestar.di import NamedDependency
from litestar.params import FromPath, PathParameter
from litestar.status_codes import HTTP_204_NO_CONTENT
from msgspec import Struct

from rensai.kit.errors import Invalid
from rensai.kit.services import Services
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.personal import personal
from rensai.rooms.readers.door import require_role
from rensai.rooms.readers.errors import TooManyMutes
from rensai.rooms.readers.model import Role, User
from rensai.rooms.readers.model.mutes import MuteKind
from rensai.rooms.readers.service import mutes as service

# A tag or a name may hold a slash.
Value = Annotated[
    str,
    PathParameter(
        description="A tag or an author by name, a genre by its slug, a warning as taxonomy:slug."
    ),
]


class MutedThing(Struct, frozen=True, rename="camel"):
    """One thing that a reader does not want to see."""

    kind: MuteKind
    value: str
    created_at: datetime


class MutedThings(Struct, frozen=True, rename="camel"):
    """All of them: there are 500 at most."""

    items: list[MutedThing]


@get(
    "/api/v1/users/me/mutes",
    tags=["users"],
    summary="What I have muted",
    security=SIGNED_IN,
    opt={"scope": "account:read"},
)
async def my_mutes(
    services: NamedDependency[Services], user: NamedDependency[User | None]
) -> Response[MutedThings]:
    """Tags, genres, authors and warnings that are left out of every list and search."""
    reader = require_role(user, Role.USER)
    found = await service.list_mutes(services.db.primary, reader.id)
    return personal(
        MutedThings([MutedThing(MuteKind(one.kind), one.value, one.created_at) for one in found])
    )


@put(
    "/api/v1/users/me/mutes/{kind:str}/{value:path}",
    status_code=HTTP_204_NO_CONTENT,
    tags=["users"],
    summary="Mute",
    security=SIGNED_IN,
    opt={"scope": "account:write", "errors": (Invalid, TooManyMutes)},
)
async def mute(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    kind: FromPath[MuteKind],
    value: Value,
) -> Response[None]:
    """Leave stories with this out of every list and search from now on; twice is once."""
    reader = require_role(user, Role.USER)
    async with services.db.transaction() as tx:
        await service.mute(tx, reader.id, kind, _plain(value), services.clock.now())
    return Response(None)


@delete(
    "/api/v1/users/me/mutes/{kind:str}/{value:path}",
    status_code=HTTP_204_NO_CONTENT,
    tags=["users"],
    summary="Unmute",
    security=SIGNED_IN,
    opt={"scope": "account:write"},
)
async def unmute(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    kind: FromPath[MuteKind],
    value: Value,
) -> Response[None]:
    """Let stories with this be seen again; what is not muted is none the worse for it."""
    reader = require_role(user, Role.USER)
    async with services.db.transaction() as tx:
        await service.unmute(tx, reader.id, kind, _plain(value))
    return Response(None)


def _plain(value: str) -> str:
    """Without the slash that the router leaves in front of a path."""
    return value.removeprefix("/")


routes = [my_mutes, mute, unmute]
