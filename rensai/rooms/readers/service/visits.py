"""Who is asking: by a cookie, an access token of an app, or an API token.

Asked before most answers, so it is one small question that many share; and put to the primary, so
that whatever was revoked is over with the commit.
"""

from datetime import datetime

from rensai.kit.errors import Forbidden
from rensai.kit.lookups import Lookups
from rensai.rooms.readers.adapters.access_tokens import AccessKeys
from rensai.rooms.readers.errors import InvalidToken, ScopeMissing, TokenExpired
from rensai.rooms.readers.model import User
from rensai.rooms.readers.model.signing import Visit, bare_user
from rensai.rooms.readers.service.secrets import API_TOKEN, hash_of, looks_like
from rensai.rooms.readers.store import visits as store


async def visit_of_cookie(lookups: Lookups, token: str, now: datetime) -> Visit | None:
    """Whose browser this is; None when the cookie is no longer good."""
    if not looks_like(token):
        return None
    row = await lookups.ask(store.browsers, hash_of(token))
    if row is None or row.expires_at <= now:
        return None
    return Visit(bare_user(row), session=row.session, last_used_at=row.last_used_at)


async def visit_of_bearer(lookups: Lookups, keys: AccessKeys, token: str, now: datetime) -> Visit:
    """Who sent this token; `InvalidToken` or `TokenExpired` when it is no longer good."""
    if token.startswith(API_TOKEN):
        return await _visit_of_api_token(lookups, token, now)
    claims = keys.read(token)
    if claims.exp <= now.timestamp():
        raise TokenExpired
    row = await lookups.ask(store.apps, claims.sid)
    if row is None or row.id != claims.sub or row.expires_at <= now:
        raise InvalidToken(private="its device is signed out")
    # A new password ends all devices but the one that it was changed on, which has to get itself
    # a new token. Tokens know whole seconds only.
    changed = row.password_changed_at
    if changed is not None and claims.iat < int(changed.timestamp()):
        raise TokenExpired(private="the password has changed since")
    return Visit(bare_user(row), session=row.session, last_used_at=row.last_used_at)


async def _visit_of_api_token(lookups: Lookups, token: str, now: datetime) -> Visit:
    row = await lookups.ask(store.tokens, hash_of(token)) if looks_like(token, API_TOKEN) else None
    if row is None or (row.expires_at is not None and row.expires_at <= now):
        raise InvalidToken
    if row.password_changed_at is not None and row.issued_at < row.password_changed_at:
        raise InvalidToken(private="the password has changed since")
    return Visit(
        bare_user(row), token=row.token, scopes=frozenset(row.scopes), last_used_at=row.last_used_at
    )


def user_within(visit: Visit | None, scope: str | None, *, required: bool) -> User | None:
    """The account that may do what this scope names; None is anybody.

    What needs an account refuses a token that lacks the scope; what does not goes on as for
    anybody.
    """
    if visit is None:
        return None
    if visit.scopes is None or scope in visit.scopes:
        return visit.user
    if not required:
        return None
    if scope is None:
        raise Forbidden("API tokens cannot do this; sign in.")
    raise ScopeMissing(f"The token lacks the scope {scope}.", details={"scope": scope})
