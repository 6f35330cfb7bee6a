"""What `/api/v1` tells of accounts."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from rensai.rooms.readers.model import User


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
