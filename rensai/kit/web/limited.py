"""Rate limits on routes: `@post("/…", guards=[limited(LOGINS)])`, or on a whole list of them."""

from collections.abc import Awaitable, Callable
from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from rensai.kit.limits import Rule
from rensai.kit.services import Services
from rensai.kit.web.client import caller

Connection = ASGIConnection[Any, Any, Any, Any]  # Any: whatever Litestar connects
Guard = Callable[[Connection, BaseRouteHandler], Awaitable[None]]


def limited(*rules: Rule) -> Guard:
    """A guard that counts each request against every rule, by the address of the caller.

    Limits that depend on more than the address, such as the account that somebody tries to
    enter, belong into the service that knows it.
    """

    async def guard(connection: Connection, _: BaseRouteHandler) -> None:
        services: Services = connection.app.state["services"]
        client = connection.client
        for rule in rules:
            await services.limits.check(rule, caller("" if client is None else client.host))

    return guard
