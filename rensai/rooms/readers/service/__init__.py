"""What can be done with accounts and sessions."""

from rensai.rooms.readers.service.accounts import count_accounts, create_admin
from rensai.rooms.readers.service.credentials import SIGN_IN
from rensai.rooms.readers.service.naming import people_of, person_named
from rensai.rooms.readers.service.sessions import (
    SESSION_LENGTH,
    clear_expired_sessions,
    sign_in,
    sign_out,
    user_of_session,
)

__all__ = [
    "SESSION_LENGTH",
    "SIGN_IN",
    "clear_expired_sessions",
    "count_accounts",
    "create_admin",
    "people_of",
    "person_named",
    "sign_in",
    "sign_out",
    "user_of_session",
]
