"""The description of the API says what is true, in names that people can read."""

import json
from typing import Annotated

import pytest
from litestar import get, post
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.types import ControllerRouterHandler
from msgspec import Struct

from rensai.kit import errors
from rensai.kit.web.bodies import Body
from rensai.kit.web.docs_page import facts
from rensai.kit.web.openapi import SIGNED_IN, describe
from rensai.kit.web.openapi_polish import Json
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page
from rensai.kit.web.render import render_text


class Spine(Body, frozen=True):
    """The back of a book."""

    colour: str


class Bound(Body, frozen=True):
    """A book to bind."""

    title: str
    spine: Spine | None = None


class Book(Struct, frozen=True, rename="camel"):
    """A book on a shelf."""

    page_count: int
    spine: Annotated[Spine, "its back"]


class ShelfFull(errors.Conflict):
    """The shelf is full."""

    code = "SHELF_FULL"
    novel_code = "shelf_full"


@get("/api/v1/books", tags=["books"], summary="List books")
async def list_books(limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> Page[Book]:
    """All of them."""
    raise errors.NotFound


@get("/api/v1/books/{number:int}", tags=["books"])
async def one_book(number: FromPath[int]) -> Book:
    """One of them, with `code` and <b>marks</b>."""
    raise errors.NotFound


@post(
    "/api/v1/books",
    tags=["books"],
    security=SIGNED_IN,
    opt={"errors": (ShelfFull,)},
)
async def bind(data: JSONBody[Bound]) -> Book:
    """Bind a book."""
    raise errors.NotFound


@get("/wp-json/novel/v1/books", opt={"errors": (ShelfFull,)})
async def novel_books(q: Annotated[str, QueryParameter(max_length=9)] = "") -> list[Book]:
    """Books, elsewhere."""
    raise errors.NotFound


@get("/api/v1/hidden", include_in_schema=False)
async def hidden() -> None:
    """Nobody's business."""


@get("/browse")
async def browse() -> str:
    """A page."""
    return ""


ROUTES: list[ControllerRouterHandler] = [
    list_books,
    one_book,
    bind,
    novel_books,
    hidden,
    browse,
]


@pytest.fixture(scope="module")
def document() -> Json:
    return describe(ROUTES, ["services"], "https://books.example.com")


def operation(document: Json, path: str, method: str) -> Json:
    found: Json = document["paths"][path][method]
    return found


def test_it_holds_the_public_api_and_nothing_else(document: Json) -> None:
    assert document["openapi"] == "3.1.0"
    assert document["servers"] == [{"url": "https://books.example.com"}]
    assert list(document["paths"]) == [
        "/api/v1/books",
        "/api/v1/books/{number}",
        "/wp-json/novel/v1/books",
    ]


def test_every_operation_has_a_readable_name_of_its_own(document: Json) -> None:
    names = [op["operationId"] for item in document["paths"].values() for op in item.values()]
    assert sorted(names) == ["bind", "listBooks", "novelNovelBooks", "oneBook"]


def test_bodies_are_closed_and_answers_are_not(document: Json) -> None:
    schemas = document["components"]["schemas"]
    assert schemas["Bound"]["additionalProperties"] is False
    assert schemas["Spine"]["additionalProperties"] is False
    assert "additionalProperties" not in schemas["Book"]


def test_generic_types_have_readable_names(document: Json) -> None:
    assert "PageOfBook" in document["components"]["schemas"]
    assert "#/components/schemas/PageOfBook" in json.dumps(
        operation(document, "/api/v1/books", "get")
    )


def test_each_surface_has_its_own_errors(document: Json) -> None:
    api = operation(document, "/api/v1/books", "post")["responses"]
    assert {"400", "401", "403", "409", "413", "414", "415", "422", "429", "503", "default"} < set(
        api
    )
    assert "SHELF_FULL" in api["409"]["description"]
    assert json.dumps(api["409"]).count("schemas/Error") == 1
    assert "Retry-After" in api["429"]["headers"]
    novel = operation(document, "/wp-json/novel/v1/books", "get")["responses"]
    assert "shelf_full" in novel["409"]["description"]
    assert json.dumps(novel["default"]).count("schemas/NovelError") == 1
    assert "422" not in novel


def test_only_what_can_happen_is_listed(document: Json) -> None:
    listed = operation(document, "/api/v1/books", "get")["responses"]
    assert not {"401", "403", "404", "413", "415"} & set(listed)
    assert "404" in operation(document, "/api/v1/books/{number}", "get")["responses"]


def test_who_must_sign_in_is_told_how(document: Json) -> None:
    assert operation(document, "/api/v1/books", "post")["security"] == SIGNED_IN
    assert set(document["components"]["securitySchemes"]) == {"session", "bearer"}


def test_numbers_are_whole_and_false_is_left_out(document: Json) -> None:
    text = json.dumps(document)
    assert '"maximum": 100,' in text
    assert '"deprecated": false' not in text


def test_every_reference_leads_somewhere(document: Json) -> None:
    names = set(document["components"]["schemas"])
    for piece in json.dumps(document).split('"$ref": "#/components/schemas/')[1:]:
        assert piece.partition('"')[0] in names


def test_the_page_shows_every_route_parameter_field_and_error(document: Json) -> None:
    page = render_text("docs.html", "/api/v1/docs", facts=facts(document))
    for path, item in document["paths"].items():
        for method, described in item.items():
            assert f"<strong>{method.upper()}</strong> {path}" in page
            assert f'id="op-{described["operationId"]}"' in page
            for parameter in described.get("parameters", []):
                assert f"<code>{parameter['name']}</code>" in page
    for name, schema in document["components"]["schemas"].items():
        assert f'id="schema-{name}"' in page
        for field in schema.get("properties", {}):
            assert f"<code>{field}</code>" in page
    for code in ("SHELF_FULL", "VALIDATION_ERROR", "shelf_full", "RATE_LIMITED"):
        assert code in page
    assert "<code>code</code> and &lt;b&gt;marks" in page


def test_every_link_on_the_page_leads_somewhere_on_it(document: Json) -> None:
    page = render_text("docs.html", "/api/v1/docs", facts=facts(document))
    for piece in page.split('href="#')[1:]:
        target = piece.partition('"')[0]
        assert page.count(f'id="{target}"') == 1, target
