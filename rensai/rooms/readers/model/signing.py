"""The words of signing in: devices, tokens, what they may do, and who is asking."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

from rensai.rooms.readers.model import User


class Scope(StrEnum):
    """What an API token may do, within what its account may."""

    ACCOUNT_READ = "account:read"
    ACCOUNT_WRITE = "account:write"
    LIBRARY_READ = "library:read"
    LIBRARY_WRITE = "library:write"
    TALK_READ = "talk:read"
    TALK_WRITE = "talk:write"
    UPLOAD_WRITE = "upload:write"
    MODERATE_WRITE = "moderate:write"
    ADMIN_WRITE = "admin:write"


SCOPES = frozenset(scope.value for scope in Scope)


class Device(msgspec.Struct, frozen=True):
    """Where somebody comes from. The address is for limits, and is kept nowhere as it is."""

    address: str
    network: str
    agent: str
    device_id: str | None = None


class NewAccount(msgspec.Struct, frozen=True):
    """What somebody wants to be called here."""

    username: str
    email: str
    password: str
    display_name: str | None = None


class Visit(msgspec.Struct, frozen=True):
    """Who is asking, and by what: a session, which may be an app's, or an API token."""

    user: User
    session: UUID | None = None
    token: UUID | None = None
    scopes: frozenset[str] | None = None
    """All that may be done by it; None when that is all that the account may."""
    last_used_at: datetime | None = None


class NewSession(msgspec.Struct, frozen=True):
    """A device that signs in."""

    id_hash: bytes
    uid: UUID
    user_id: int
    kind: str
    device: Device
    created_at: datetime
    expires_at: datetime


class SignedIn(msgspec.Struct, frozen=True):
    """A device that is signed in, as its owner sees it."""

    uid: UUID
    kind: str
    agent: str
    network: str
    device_id: str | None
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime


class SessionRow(User, frozen=True):
    """A session with its account, as it is looked up for each request."""

    session: UUID
    id_hash: bytes
    expires_at: datetime
    last_used_at: datetime | None
    password_changed_at: datetime | None


class TokenRow(User, frozen=True):
    """An API token with its account, as it is looked up for each request."""

    token: UUID
    token_hash: bytes
    scopes: list[str]
    issued_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    password_changed_at: datetime | None


class ApiToken(msgspec.Struct, frozen=True):
    """An API token, as its owner sees it."""

    id: UUID
    name: str
    prefix: str
    scopes: list[str]
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None


class NewToken(msgspec.Struct, frozen=True):
    """An API token, and the only sight of its secret."""

    token: ApiToken
    secret: str


class Claims(msgspec.Struct, frozen=True):
    """What an access token says. `sub` is a number, as the novel API shows it."""

    sub: int
    username: str
    iat: int
    exp: int
    type: str
    sid: UUID


class Grant(msgspec.Struct, frozen=True):
    """What an app gets for signing in: for each request one token, and one to get the next."""

    user: User
    access_token: str
    refresh_token: str
    expires_at: datetime
    """When the access token ends."""


class Lifetimes(msgspec.Struct, frozen=True):
    """How long the tokens of apps last, and how many devices an account may have."""

    access_days: int
    refresh_days: int
    per_account: int


class HeldFamily(User, frozen=True):
    """The account of a refresh token, and the device that the token belongs to."""

    family_id: UUID


class RefreshRow(msgspec.Struct, frozen=True):
    """A refresh token as it stands."""

    id: int
    family_id: UUID
    issued_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    replaced_by: int | None


class NewRefresh(msgspec.Struct, frozen=True):
    """A refresh token that is to be stored."""

    user_id: int
    family_id: UUID
    token_hash: bytes
    device_id: str | None
    user_agent_hash: bytes
    ip_hash: bytes
    issued_at: datetime
    expires_at: datetime


def bare_user(row: User) -> User:
    """The account alone, of a row that says more."""
    return User(*(getattr(row, field) for field in User.__struct_fields__))
