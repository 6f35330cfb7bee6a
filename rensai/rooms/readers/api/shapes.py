"""What `/api/v1` tells of accounts."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct, structs

from rensai.rooms.readers.model import Created, User
from rensai.rooms.readers.model.signing import ApiToken, NewToken, SignedIn


class Account(Struct, frozen=True, rename="camel"):
    """An account, as its owner sees it."""

    id: UUID
    username: str
    email: str
    display_name: str
    bio: str
    role: str
    email_verified: bool
    created_at: datetime


def account_of(user: User) -> Account:
    return Account(
        id=user.uid,
        username=user.username,
        email=user.email,
        display_name=user.display_name,
        bio=user.bio,
        role=user.role,
        email_verified=user.email_verified,
        created_at=user.created_at,
    )


class NewAccountTold(Struct, frozen=True, rename="camel"):
    """A new account, and the only sight of its twelve words."""

    id: UUID
    username: str
    email: str
    display_name: str
    bio: str
    role: str
    email_verified: bool
    created_at: datetime
    mnemonic: str


def told_once(created: Created) -> NewAccountTold:
    account = account_of(created.user)
    return NewAccountTold(**structs.asdict(account), mnemonic=created.phrase)


class Token(Struct, frozen=True, rename="camel"):
    """An API token, known by its beginning."""

    id: UUID
    name: str
    prefix: str
    scopes: list[str]
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None


class MadeToken(Struct, frozen=True, rename="camel"):
    """A new API token, with the only sight of its secret."""

    id: UUID
    name: str
    prefix: str
    scopes: list[str]
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    token: str


def token_of(token: ApiToken) -> Token:
    return Token(**structs.asdict(token))


def made_token(made: NewToken) -> MadeToken:
    return MadeToken(**structs.asdict(made.token), token=made.secret)


class DeviceTold(Struct, frozen=True, rename="camel"):
    """A device that is signed in. `current` is the one that asks."""

    id: UUID
    kind: Literal["browser", "app"]
    agent: str
    network: str
    device_id: str | None
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime
    current: bool


def device_of(row: SignedIn, own: UUID | None) -> DeviceTold:
    return DeviceTold(
        id=row.uid,
        kind="app" if row.kind == "app" else "browser",
        agent=row.agent,
        network=row.network,
        device_id=row.device_id,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        expires_at=row.expires_at,
        current=row.uid == own,
    )
