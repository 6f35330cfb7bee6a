"""A browser whose reader has said to be of age: a signed cookie, for who has not signed in."""

import hmac
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from litestar import Request
from litestar.datastructures import Cookie

from rensai.config import Config
from rensai.kit.web.cookies import forget_cookie, own_cookie

AGE = "rensai_age"
LASTS = timedelta(days=180)

AnyRequest = Request[Any, Any, Any]  # Any: whoever asks


def of_age_cookie(config: Config, now: datetime) -> Cookie:
    """Says that whoever uses this browser is of age, until it has lasted long enough."""
    said = str(int(now.timestamp()))
    return own_cookie(config, AGE, f"{said}-{_tag(config.session_secret, said)}", LASTS)


def no_age_cookie(config: Config) -> Cookie:
    """Takes it back."""
    return forget_cookie(config, AGE)


def has_said_so(request: AnyRequest, secret: str, now: datetime) -> bool:
    """Whether this browser was told so by its reader, and by nobody else."""
    said, _, tag = request.cookies.get(AGE, "").partition("-")
    if not (said.isascii() and said.isdigit() and len(said) < 12):
        return False
    if not hmac.compare_digest(_tag(secret, said).encode(), tag.encode("utf-8", "replace")):
        return False
    return now - datetime.fromtimestamp(int(said), UTC) < LASTS


def _tag(secret: str, said: str) -> str:
    return hmac.digest(_key(secret), said.encode(), "sha256").hex()[:32]


@lru_cache(maxsize=4)
def _key(secret: str) -> bytes:
    """A key of its own, so that the cookie is good for nothing else."""
    return hmac.digest(secret.encode(), b"rensai age v1", "sha256")
