"""The page about accounts says what is so."""

import re
from pathlib import Path

from litestar.handlers import HTTPRouteHandler

from rensai.rooms.readers.door import SCOPES
from rensai.rooms.readers.service.credentials import FAILURES, SIGN_IN
from rensai.rooms.readers.service.grants import WRONG_TOKENS
from rensai.rooms.readers.service.registration import REGISTER
from rensai.wiring.routes import ROUTES

PAGE = (Path(__file__).parents[1] / "docs" / "accounts.md").read_text(encoding="utf-8")


def test_every_scope_stands_in_its_table_and_no_other() -> None:
    assert set(re.findall(r"`([a-z]+:(?:read|write))`", PAGE)) == SCOPES


def test_the_limits_are_those_that_hold() -> None:
    amounts = [int(found) for found in re.findall(r"^\| [^|]+ \| (\d+) ", PAGE, re.M)]
    assert amounts == [rule.amount for rule in (SIGN_IN, FAILURES, REGISTER, WRONG_TOKENS)]


def test_every_address_that_it_names_answers() -> None:
    known = {
        (str(method), re.sub(r"\{(\w+):\w+\}", "{}", path))
        for handler in ROUTES
        if isinstance(handler, HTTPRouteHandler)
        for path in handler.paths
        for method in handler.http_methods
    }
    named = re.findall(r"(GET|POST|DELETE) +(/(?:api|wp-json)/[^\s`]+)", PAGE)
    assert len(named) > 10
    assert {(method, re.sub(r"\{\w+\}", "{}", path)) for method, path in named} <= known
