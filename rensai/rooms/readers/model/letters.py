"""Letters and the marks in their links."""

from datetime import timedelta
from enum import Enum

from msgspec import Struct


class Purpose(Enum):
    """What the link in a letter is good for."""

    RESET = "reset"
    VERIFY = "verify"


LIFETIME = {Purpose.RESET: timedelta(hours=1), Purpose.VERIFY: timedelta(days=3)}
LIVE_MARKS = 3
"""How many links of one kind are good at once: a letter may overtake another."""


class Addressee(Struct, frozen=True):
    """Whom a letter is for."""

    id: int
    username: str
    email: str
    email_verified: bool


class Mark(Struct, frozen=True):
    """What a link in a letter stood for."""

    user_id: int
    email: str
