"""Passwords and addresses over `/api/v1/auth`: changed, forgotten, confirmed."""

from typing import Annotated, Any

from litestar import Request, Response, post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_202_ACCEPTED, HTTP_204_NO_CONTENT
from msgspec import Meta

from rensai.kit.services import Services
from rensai.kit.web.bodies import Body
from rensai.kit.web.client import caller_of
from rensai.kit.web.forms import require_own_page
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.personal import personal
from rensai.rooms.readers.api.profiles import Password
from rensai.rooms.readers.api.shapes import Account, account_of
from rensai.rooms.readers.door import require_role
from rensai.rooms.readers.errors import (
    LinkExpired,
    MailDisabled,
    NameTaken,
    PasswordBreached,
    WrongPassword,
)
from rensai.rooms.readers.model import PASSWORD_LENGTH, Role, User
from rensai.rooms.readers.model.signing import Visit
from rensai.rooms.readers.service import changing, letter_links

Anyone = Request[Any, Any, Any]  # Any: whoever asks
NewPassword = Annotated[str, Meta(min_length=PASSWORD_LENGTH[0], max_length=PASSWORD_LENGTH[1])]
Email = Annotated[str, Meta(min_length=3, max_length=254)]
Mark = Annotated[str, Meta(min_length=1, max_length=200)]


class PasswordChange(Body, frozen=True):
    """The password as it is, and as it is to be."""

    current_password: Password
    new_password: NewPassword


class EmailChange(Body, frozen=True):
    """Another address; the password shows that it is the owner who wants it."""

    email: Email
    password: Password


class Forgotten(Body, frozen=True):
    """Whose password is forgotten."""

    email: Email


class Reset(Body, frozen=True):
    """What the link in the letter carries, and the new password."""

    token: Mark
    password: NewPassword


class Verification(Body, frozen=True):
    """What the link in the letter carries."""

    token: Mark


@post(
    "/api/v1/auth/password",
    status_code=HTTP_204_NO_CONTENT,
    tags=["auth"],
    summary="Change my password",
    security=SIGNED_IN,
    opt={"scope": "account:write", "errors": (WrongPassword, PasswordBreached)},
)
async def change_password(
    data: JSONBody[PasswordChange],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    visit: NamedDependency[Visit | None],
) -> Response[None]:
    """Set another password. Every other device is signed out, and all API tokens end.

    An app stays signed in, and gets its next access token by its refresh token.
    """
    await changing.change_password(
        services.db,
        services.limits,
        require_role(user, Role.USER),
        current=data.current_password,
        new=data.new_password,
        session=None if visit is None else visit.session,
        clock=services.clock,
    )
    return Response(None)


@post(
    "/api/v1/auth/email",
    status_code=HTTP_200_OK,
    tags=["auth"],
    summary="Change my address",
    security=SIGNED_IN,
    opt={"scope": "account:write", "errors": (WrongPassword, NameTaken)},
)
async def change_email(
    data: JSONBody[EmailChange],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
) -> Response[Account]:
    """Set another e-mail address. It counts at once and is to be confirmed again; where this site
    sends mail, both addresses get a letter."""
    changed = await changing.change_email(
        services.db,
        services.limits,
        require_role(user, Role.USER),
        password=data.password,
        email=data.email,
        clock=services.clock,
    )
    return personal(account_of(changed))


@post(
    "/api/v1/auth/reset",
    status_code=HTTP_202_ACCEPTED,
    tags=["auth"],
    summary="I forgot my password",
    opt={"errors": (MailDisabled,)},
)
async def ask_for_reset(
    data: JSONBody[Forgotten], request: Anyone, services: NamedDependency[Services]
) -> Response[None]:
    """Have a letter with a link sent to the address, good once and for an hour.

    The answer is the same whether or not somebody has that address here.
    """
    require_own_page(request.headers, services.config.base_url)
    await letter_links.ask_for_reset(
        services.db,
        services.config,
        services.limits,
        email=data.email,
        address=caller_of(request).address,
    )
    return Response(None)


@post(
    "/api/v1/auth/reset/confirm",
    status_code=HTTP_204_NO_CONTENT,
    tags=["auth"],
    summary="Set a new password by letter",
    opt={"errors": (LinkExpired, PasswordBreached)},
)
async def confirm_reset(
    data: JSONBody[Reset], request: Anyone, services: NamedDependency[Services]
) -> Response[None]:
    """Set the password with what the letter said. Everything that was signed in is signed out."""
    require_own_page(request.headers, services.config.base_url)
    await letter_links.reset_password(
        services.db,
        services.limits,
        mark=data.token,
        password=data.password,
        address=caller_of(request).address,
        clock=services.clock,
    )
    return Response(None)


@post(
    "/api/v1/auth/verify",
    status_code=HTTP_204_NO_CONTENT,
    tags=["auth"],
    summary="Confirm my address",
    opt={"errors": (LinkExpired,)},
)
async def verify_email(
    data: JSONBody[Verification], request: Anyone, services: NamedDependency[Services]
) -> Response[None]:
    """Confirm the address of an account with what the letter said."""
    require_own_page(request.headers, services.config.base_url)
    await letter_links.verify_email(
        services.db,
        services.limits,
        mark=data.token,
        address=caller_of(request).address,
        clock=services.clock,
    )
    return Response(None)


@post(
    "/api/v1/auth/verify/send",
    status_code=HTTP_202_ACCEPTED,
    tags=["auth"],
    summary="Send me the letter again",
    security=SIGNED_IN,
    opt={"scope": "account:write", "errors": (MailDisabled,)},
)
async def send_verification(
    services: NamedDependency[Services], user: NamedDependency[User | None]
) -> Response[None]:
    """Have the letter sent that asks to confirm the address, unless that is done."""
    await letter_links.ask_for_verification(
        services.db, services.config, services.limits, require_role(user, Role.USER)
    )
    return Response(None)


routes = [
    change_password,
    change_email,
    ask_for_reset,
    confirm_reset,
    verify_email,
    send_verification,
]
