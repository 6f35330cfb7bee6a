"""Signing in of apps over `/wp-json/novel/v1/auth`."""

from datetime import datetime
from typing import Annotated, Any

from litestar import Request, Response, post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED, HTTP_204_NO_CONTENT
from msgspec import Meta, Struct

from rensai.kit.services import Services
from rensai.kit.web.bodies import NovelBody
from rensai.kit.web.client import caller_of
from rensai.rooms.readers.adapters.access_tokens import keys_of
from rensai.rooms.readers.errors import (
    AccountClosed,
    NameTaken,
    RefreshTokenInvalid,
    RegistrationClosed,
    WrongCredentials,
)
from rensai.rooms.readers.model.signing import Device, Grant, Lifetimes, NewAccount
from rensai.rooms.readers.service import registration
from rensai.rooms.readers.service.grants import Grants

_PRIVATE = {"Cache-Control": "private, no-store"}

Anyone = Request[Any, Any, Any]
DeviceId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=120,
        description="A name for the device, of the app's own making: signing in once more with "
        "it takes the place of the time before.",
    ),
]
RefreshToken = Annotated[str, Meta(min_length=1, max_length=200)]


class NovelRegister(NovelBody, frozen=True):
    """A new account."""

    username: Annotated[str, Meta(min_length=3, max_length=60)]
    email: Annotated[str, Meta(min_length=3, max_length=254)]
    password: Annotated[str, Meta(min_length=8, max_length=128)]
    display_name: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    device_id: DeviceId | None = None


class Login(NovelBody, frozen=True):
    """A username or e-mail address, and the password."""

    login: Annotated[str, Meta(min_length=1, max_length=254)]
    password: Annotated[str, Meta(min_length=1, max_length=128)]
    device_id: DeviceId | None = None


class Exchange(NovelBody, frozen=True):
    """The refresh token that was given last."""

    refresh_token: RefreshToken


class Tokens(Struct, frozen=True):
    """One token for each request, and one to get the next by. `expires_at` is the first one's."""

    access_token: str
    refresh_token: str
    expires_at: datetime


class SignedInApp(Struct, frozen=True):
    """The same, and whose they are."""

    user_id: int
    username: str
    access_token: str
    refresh_token: str
    expires_at: datetime


class RegisteredApp(Struct, frozen=True):
    """The same, with the twelve words of the new identity. They are shown this once."""

    user_id: int
    username: str
    access_token: str
    refresh_token: str
    expires_at: datetime
    recovery_phrase: str


@post(
    "/wp-json/novel/v1/auth/register",
    status_code=HTTP_201_CREATED,
    tags=["auth"],
    summary="Make an account",
    opt={"errors": (NameTaken, RegistrationClosed)},
)
async def register(
    data: JSONBody[NovelRegister], request: Anyone, services: NamedDependency[Services]
) -> Response[RegisteredApp]:
    """A new account, and the tokens of the device that made it.

    `recovery_phrase` is the only way back into the account without its password; it is told once
    and stored nowhere. One address may ask for 30 accounts an hour.
    """
    device = _device(request, data.device_id)
    new = NewAccount(data.username, data.email, data.password, data.display_name)
    prepared = await registration.prepare(
        services.limits,
        new,
        address=device.address,
        is_open=services.config.enable_registration,
    )
    now = services.clock.now()
    async with services.db.transaction() as tx:
        created = await registration.insert(tx, prepared, now=now)
        grant = await _grants(services).begin(tx, created.user, device, now)
    told = RegisteredApp(
        created.user.id,
        created.user.username,
        grant.access_token,
        grant.refresh_token,
        grant.expires_at,
        created.phrase,
    )
    return Response(told, headers=_PRIVATE)


@post(
    "/wp-json/novel/v1/auth/login",
    status_code=HTTP_200_OK,
    tags=["auth"],
    summary="Sign in",
    opt={"errors": (WrongCredentials, AccountClosed)},
)
async def login(
    data: JSONBody[Login], request: Anyone, services: NamedDependency[Services]
) -> Response[SignedInApp]:
    """The tokens of a device. Signing in on one more than the site allows ends the oldest.

    One address may try ten times a minute, and the password of one account may be wrong twenty
    times in a quarter of an hour.
    """
    grant = await _grants(services).sign_in(
        services.db,
        services.limits,
        login=data.login,
        password=data.password,
        device=_device(request, data.device_id),
        clock=services.clock,
    )
    told = SignedInApp(
        grant.user.id,
        grant.user.username,
        grant.access_token,
        grant.refresh_token,
        grant.expires_at,
    )
    return Response(told, headers=_PRIVATE)


@post(
    "/wp-json/novel/v1/auth/refresh",
    status_code=HTTP_200_OK,
    tags=["auth"],
    summary="Exchange a refresh token",
    opt={"errors": (RefreshTokenInvalid,)},
)
async def refresh(
    data: JSONBody[Exchange], request: Anyone, services: NamedDependency[Services]
) -> Response[Tokens]:
    """New tokens; the one that was sent is used up. Who sends one twice is signed out."""
    grant = await _grants(services).exchange(
        services.db,
        services.limits,
        token=data.refresh_token,
        device=_device(request, None),
        clock=services.clock,
    )
    return Response(_tokens(grant), headers=_PRIVATE)


@post(
    "/wp-json/novel/v1/auth/logout",
    status_code=HTTP_204_NO_CONTENT,
    tags=["auth"],
    summary="Sign out",
)
async def logout(data: JSONBody[Exchange], services: NamedDependency[Services]) -> None:
    """End the device of this refresh token, with its access tokens; it may have ended before."""
    await _grants(services).sign_out(services.db, token=data.refresh_token, clock=services.clock)


def _grants(services: Services) -> Grants:
    config = services.config
    lifetimes = Lifetimes(
        config.access_token_days, config.refresh_token_days, config.refresh_tokens_per_account
    )
    return Grants(keys_of(config.access_secrets), lifetimes, config.session_secret)


def _device(request: Anyone, device_id: str | None) -> Device:
    address, network, agent = caller_of(request)
    return Device(address, network, agent, device_id)


def _tokens(grant: Grant) -> Tokens:
    return Tokens(grant.access_token, grant.refresh_token, grant.expires_at)


routes = [register, login, refresh, logout]
