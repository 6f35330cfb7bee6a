"""Who is looking, as far as counting needs to know, and whether anybody is looking at all."""

from typing import Any

from litestar import Request

from rensai.kit.web.client import caller

AnyRequest = Request[Any, Any, Any]  # Any: whoever asks

_PREFETCH = (b"sec-purpose", b"purpose", b"x-moz", b"x-purpose")


def visitor_of(request: AnyRequest, account: int | None) -> str | None:
    """What tells one visitor from others: the account, else the address with the browser.

    None when nobody is looking: a HEAD, or a browser that fetches ahead of its reader.
    """
    scope = request.scope
    if "is_head" in scope:
        return None
    agent = b""
    for name, value in scope["headers"]:
        if name == b"user-agent":
            agent = value
        elif name in _PREFETCH and (b"prefetch" in value or b"preview" in value):
            return None
    if account is not None:
        return f"account {account}"
    client = scope["client"]
    return f"{caller(client[0] if client else '')} {agent.decode('latin-1')}"
