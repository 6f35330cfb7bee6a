"""Every route that asks who is there says which right a token needs for it."""

import pytest
from litestar.handlers import HTTPRouteHandler

from rensai.kit.web.surfaces import Surface, surface_of
from rensai.rooms.readers.door import SCOPES
from rensai.wiring.openapi import api_description
from rensai.wiring.routes import ROUTES

_UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}


def api_handlers() -> list[HTTPRouteHandler]:
    return [
        handler
        for handler in ROUTES
        if isinstance(handler, HTTPRouteHandler)
        and any(surface_of(path) is not Surface.SITE for path in handler.paths)
    ]


def asks_who(handler: HTTPRouteHandler) -> bool:
    return "user" in handler.parsed_fn_signature.parameters


ASKING = [handler for handler in api_handlers() if asks_who(handler)]


@pytest.mark.parametrize("handler", ASKING, ids=lambda handler: str(handler.handler_name))
def test_a_route_that_asks_who_is_there_names_a_scope(handler: HTTPRouteHandler) -> None:
    assert handler.opt.get("scope") in SCOPES


def test_a_route_that_needs_an_account_asks_who_is_there() -> None:
    assert len(ASKING) > 5
    assert [h.handler_name for h in api_handlers() if h.security and not asks_who(h)] == []


def test_what_changes_something_does_not_go_by_a_right_to_read() -> None:
    for handler in ASKING:
        if handler.security and set(map(str, handler.http_methods)) & _UNSAFE:
            assert str(handler.opt["scope"]).endswith(":write"), handler.handler_name


def test_the_description_says_which_scope_and_that_cookies_do_not_count_on_the_novel_api() -> None:
    document = api_description(ROUTES, "https://rensai.test").document
    me = document["paths"]["/api/v1/auth/me"]["get"]
    assert me["security"] == [{"session": []}, {"bearer": ["account:read"]}]
    for path, item in document["paths"].items():
        if surface_of(path) is Surface.NOVEL:
            for operation in item.values():
                assert "session" not in str(operation.get("security"))
