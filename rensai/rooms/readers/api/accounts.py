"""Making an account, and coming back into one, over `/api/v1/auth`."""

from typing import Annotated, Any

from litestar import Request, Response, post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED
from msgspec import Meta

from rensai.kit.services import Services
from rensai.kit.web.bodies import Body
from rensai.kit.web.client import caller_of
from rensai.kit.web.cookies import SESSION, own_cookie
from rensai.kit.web.forms import require_own_page
from rensai.rooms.readers import service
from rensai.rooms.readers.api.shapes import Account, NewAccountTold, account_of, told_once
from rensai.rooms.readers.errors import (
    AccountClosed,
    FingerprintNotFound,
    InvalidMnemonic,
    NameTaken,
    PasswordBreached,
    RegistrationClosed,
)
from rensai.rooms.readers.model import OpenSession
from rensai.rooms.readers.model.signing import Device, NewAccount
from rensai.rooms.readers.service import recovery, registration

Anyone = Request[Any, Any, Any]
_PRIVATE = {"Cache-Control": "private, no-store"}

Name = Annotated[str, Meta(min_length=1, max_length=60)]
Email = Annotated[str, Meta(min_length=1, max_length=254)]
Password = Annotated[str, Meta(min_length=1, max_length=128)]


class Register(Body, frozen=True):
    """A new account."""

    username: Name
    email: Email
    password: Password
    display_name: Annotated[str, Meta(min_length=1, max_length=100)] | None = None


class Recover(Body, frozen=True):
    """The twelve words of an identity, and what its account is to be called from now on."""

    mnemonic: Annotated[str, Meta(min_length=1, max_length=500)]
    new_username: Name
    new_email: Email
    new_password: Password


@post(
    "/api/v1/auth/register",
    status_code=HTTP_201_CREATED,
    tags=["auth"],
    summary="Make an account",
    opt={"errors": (NameTaken, PasswordBreached, RegistrationClosed)},
)
async def register(
    data: JSONBody[Register], request: Anyone, services: NamedDependency[Services]
) -> Response[NewAccountTold]:
    """A new account, signed in: the answer sets its cookie.

    `mnemonic` is the only way back into the account without its password; it is told once and
    stored nowhere. One address may ask for 30 accounts an hour.
    """
    require_own_page(request.headers, services.config.base_url)
    device = Device(*caller_of(request))
    new = NewAccount(data.username, data.email, data.password, data.display_name)
    created, session = await registration.register(
        services.db,
        services.limits,
        new,
        device=device,
        is_open=services.config.enable_registration,
        clock=services.clock,
        replacing=request.cookies.get(SESSION, ""),
    )
    return _signed_in(services, session, told_once(created))


@post(
    "/api/v1/auth/recover",
    status_code=HTTP_200_OK,
    tags=["auth"],
    summary="Come back by the twelve words",
    opt={
        "errors": (
            InvalidMnemonic,
            FingerprintNotFound,
            AccountClosed,
            NameTaken,
            PasswordBreached,
        )
    },
)
async def recover(
    data: JSONBody[Recover], request: Anyone, services: NamedDependency[Services]
) -> Response[Account]:
    """Give the account of these words a new name, address and password, and sign in.

    The account keeps its shelf, its comments and its words. Whatever was signed in before is
    signed out, and its API tokens end. One address may try ten times a minute.
    """
    require_own_page(request.headers, services.config.base_url)
    session = await recovery.recover(
        services.db,
        services.limits,
        phrase=data.mnemonic,
        new=NewAccount(data.new_username, data.new_email, data.new_password),
        device=Device(*caller_of(request)),
        clock=services.clock,
    )
    return _signed_in(services, session, account_of(session.user))


def _signed_in(services: Services, session: OpenSession, told: Any) -> Response[Any]:
    cookie = own_cookie(services.config, SESSION, session.token, service.SESSION_LENGTH)
    return Response(told, cookies=[cookie], headers=_PRIVATE)


routes = [register, recover]
