"""What other rooms may ask of the readers' room.

Handlers get the account that is asking as the dependency `user`; `require_role` turns it into
one that may go on.
"""

from msgspec import Struct

from rensai.kit.errors import AuthRequired, Forbidden
from rensai.rooms.readers.adapters.access_tokens import keys_of
from rensai.rooms.readers.errors import EmailUnverified
from rensai.rooms.readers.events import AccountDeleted
from rensai.rooms.readers.model import Created, Role, User
from rensai.rooms.readers.model.belongings import Belongings
from rensai.rooms.readers.model.mutes import Mutes
from rensai.rooms.readers.model.people import Person
from rensai.rooms.readers.model.signing import SCOPES, Visit
from rensai.rooms.readers.service import (
    clear_expired_sessions,
    count_accounts,
    create_admin,
    people_of,
    person_named,
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
    "EmailUnverified",
    "HouseRules",
    "LastUsed",
    "Mutes",
    "Person",
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
    "people_of",
    "person_named",
    "read_lines",
    "require_role",
    "require_writer",
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


class HouseRules(Struct, frozen=True):
    """What this instance asks of people: handlers get it as the dependency `rules`."""

    verified_email: bool


def require_writer(user: User | None, rules: HouseRules, role: Role = Role.USER) -> User:
    """The account, if it may publish something here, such as a comment or an upload.

    Where the instance asks for it, that takes a confirmed e-mail address.
    """
    writer = require_role(user, role)
    if rules.verified_email and not writer.email_verified:
        raise EmailUnverified
    return writer
