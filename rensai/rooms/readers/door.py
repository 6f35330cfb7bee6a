"""What other rooms may ask of the readers' room.

Handlers get the account that is asking as the dependency `user`; `require_role` turns it into
one that may go on.
"""

from rensai.kit.errors import AuthRequired, Forbidden
from rensai.rooms.readers.adapters.access_tokens import keys_of
from rensai.rooms.readers.events import AccountDeleted
from rensai.rooms.readers.model import Created, Role, User
from rensai.rooms.readers.model.belongings import Belongings
from rensai.rooms.readers.model.mutes import Mutes
from rensai.rooms.readers.model.signing import SCOPES, Visit
from rensai.rooms.readers.service import (
    clear_expired_sessions,
    count_accounts,
    create_admin,
    user_of_session,
)
from rensai.rooms.readers.service.belongings import belongings, read_lines
from rensai.rooms.readers.service.last_used import LastUsed
from rensai.rooms.readers.service.mutes import mutes_of
from rensai.rooms.readers.service.settings import is_of_age
from rensai.rooms.readers.service.visits import user_within, visit_of_bearer, visit_of_cookie

__all__ = [
    "SCOPES",
    "AccountDeleted",
    "Belongings",
    "Created",
    "LastUsed",
    "Mutes",
    "Role",
    "User",
    "Visit",
    "belongings",
    "clear_expired_sessions",
    "count_accounts",
    "create_admin",
    "is_of_age",
    "keys_of",
    "mutes_of",
    "read_lines",
    "require_role",
    "user_of_session",
    "user_within",
    "visit_of_bearer",
    "visit_of_cookie",
]


def require_role(user: User | None, role: Role) -> User:
    """The account, if it has at least that role; else the error that says what is missing."""
    if user is None:
        raise AuthRequired
    if not user.may(role):
        raise Forbidden
    return user
