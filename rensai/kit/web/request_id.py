"""The name of a request, by which a user's complaint finds its log lines."""

import re

from structlog.contextvars import bind_contextvars, get_contextvars
from uuid_utils import uuid7

_SANE = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._:/+=-]{7,127}")


def accepted_or_new(inbound: bytes | None) -> str:
    """The caller's own id when it is a sane one, so that a trace can span servers."""
    if inbound is not None and _SANE.fullmatch(inbound):
        return inbound.decode("ascii")
    return uuid7().hex


def remember(request_id: str) -> None:
    """Put the id on every log line of this request."""
    bind_contextvars(request_id=request_id)


def current() -> str:
    """The id of the request that is being answered."""
    return str(get_contextvars().get("request_id", ""))
