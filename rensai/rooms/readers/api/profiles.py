"""Accounts over `/api/v1/users`: what everybody sees, and what their owners change."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from litestar import Response, delete, get, patch
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_204_NO_CONTENT
from msgspec import Meta, Struct

from rensai.kit.services import Services
from rensai.kit.web.bodies import Body
from rensai.kit.web.cookies import SESSION, forget_cookie
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.personal import personal
from rensai.rooms.readers.api.shapes import Account, account_of
from rensai.rooms.readers.door import require_role
from rensai.rooms.readers.errors import LastAdmin, WrongPassword
from rensai.rooms.readers.model import Role, User
from rensai.rooms.readers.model.profiles import LONGEST_BIO, LONGEST_NAME
from rensai.rooms.readers.service import changing, profiles

Password = Annotated[str, Meta(min_length=1, max_length=128)]


class PublicProfile(Struct, frozen=True, rename="camel"):
    """An account, as everybody may see it."""

    id: UUID
    username: str
    display_name: str
    bio: str
    role: str
    fingerprint: str | None
    created_at: datetime


class ProfileChange(Body, frozen=True):
    """What is to be different; what is left out or null stays as it is."""

    display_name: Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)] | None = None
    bio: Annotated[str, Meta(max_length=LONGEST_BIO)] | None = None


class Confirmation(Body, frozen=True):
    """The password, so that a browser left open is not enough."""

    password: Password


@get("/api/v1/users/{username:str}", tags=["users"], summary="One person")
async def one_user(services: NamedDependency[Services], username: FromPath[str]) -> PublicProfile:
    """What everybody may see of an account. The name is found whatever its case."""
    found = await profiles.profile_of(services.db.replica, username)
    return PublicProfile(
        id=found.uid,
        username=found.username,
        display_name=found.display_name,
        bio=found.bio,
        role=found.role,
        fingerprint=found.portable_key_fingerprint,
        created_at=found.created_at,
    )


@get(
    "/api/v1/users/me",
    tags=["users"],
    summary="My account",
    security=SIGNED_IN,
    opt={"scope": "account:read"},
)
async def my_account(user: NamedDependency[User | None]) -> Response[Account]:
    """The account that is signed in, as only its owner sees it."""
    return personal(account_of(require_role(user, Role.USER)))


@patch(
    "/api/v1/users/me",
    tags=["users"],
    summary="Describe myself",
    security=SIGNED_IN,
    opt={"scope": "account:write"},
)
async def describe_myself(
    data: JSONBody[ProfileChange],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
) -> Response[Account]:
    """Change the name that is shown, or the bio. Both are plain text."""
    person = require_role(user, Role.USER)
    async with services.db.transaction() as tx:
        changed = await profiles.describe_self(
            tx,
            person,
            display_name=data.display_name,
            bio=data.bio,
            now=services.clock.now(),
        )
    return personal(account_of(changed))


@delete(
    "/api/v1/users/me",
    status_code=HTTP_204_NO_CONTENT,
    tags=["users"],
    summary="Delete my account",
    security=SIGNED_IN,
    opt={"scope": "account:write", "errors": (WrongPassword, LastAdmin)},
)
async def delete_myself(
    data: JSONBody[Confirmation],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
) -> Response[None]:
    """Erase the account for good: name, address, password, keys, settings, archives, and what it
    has on its shelf. Comments stay where others have answered them, without name and text.

    Nobody can register under the same name again. Export first what you want to keep.
    """
    person = require_role(user, Role.USER)
    await changing.delete_own_account(
        services.db, services.limits, person, password=data.password, clock=services.clock
    )
    return Response(None, cookies=[forget_cookie(services.config, SESSION)])


routes = [one_user, my_account, describe_myself, delete_myself]
