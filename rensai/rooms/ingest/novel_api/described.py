"""What the API's description says of these routes: the handlers read raw bytes, so they cannot."""

from collections.abc import Sequence
from dataclasses import dataclass

from litestar.openapi.spec import (
    OpenAPIFormat,
    OpenAPIMediaType,
    OpenAPIType,
    Operation,
    Parameter,
    RequestBody,
    Schema,
)

from rensai.rooms.ingest.adapters import signing
from rensai.rooms.ingest.adapters.envelopes import MOST_ITEMS, MOST_STORY_IDS
from rensai.rooms.ingest.adapters.stories import MOST_ALIASES, MOST_GENRES, MOST_SUMMARY

_SLUG = "^[a-z0-9-]+$"


def _text(most: int, *, least: int = 0, pattern: str | None = None, about: str = "") -> Schema:
    return Schema(
        type=OpenAPIType.STRING,
        min_length=least or None,
        max_length=most,
        pattern=pattern,
        description=about or None,
    )


_TIME = Schema(
    type=OpenAPIType.STRING,
    format=OpenAPIFormat.DATE_TIME,
    description="ISO-8601; in UTC where it names no offset; at most 24 hours ahead.",
)
_DELETED = Schema(
    type=OpenAPIType.BOOLEAN,
    description="A deletion: only the identity and updated_at_source are needed.",
)
_STORY = {
    "source_story_id": _text(191, least=1),
    "slug": _text(191, least=1, pattern=_SLUG),
    "title": _text(255, least=1),
    "updated_at_source": _TIME,
    "title_original": _text(255),
    "author_name": _text(191),
    "status": Schema(
        type=OpenAPIType.INTEGER,
        minimum=0,
        maximum=4,
        description="0 draft, 1 ongoing, 2 completed, 3 hiatus, 4 dropped.",
    ),
    "cover_url": _text(1024, about="An http or https address."),
    "summary": _text(MOST_SUMMARY),
    "language": _text(10, about="A language tag; vi where nothing is said."),
    "aliases": Schema(type=OpenAPIType.ARRAY, items=_text(255, least=1), max_items=MOST_ALIASES),
    "genres": Schema(type=OpenAPIType.ARRAY, items=_text(120, least=1), max_items=MOST_GENRES),
    "deleted": _DELETED,
}
_CHAPTER = {
    "source_story_id": _text(191, least=1),
    "source_chapter_id": _text(191),
    "chapter_no": Schema(
        type=OpenAPIType.NUMBER,
        minimum=-99999999.99,
        maximum=99999999.99,
        description="At most two decimals.",
    ),
    "slug": _text(191, least=1, pattern=_SLUG),
    "title": _text(255, least=1),
    "content_raw": Schema(
        type=OpenAPIType.STRING, min_length=1, description="At most 256 KiB of UTF-8."
    ),
    "updated_at_source": _TIME,
    "published_at": _TIME,
    "is_published": Schema(type=OpenAPIType.BOOLEAN),
    "deleted": _DELETED,
}


def _bulk(item: dict[str, Schema], required: list[str]) -> Schema:
    items = Schema(type=OpenAPIType.OBJECT, properties=dict(item), required=required)
    return Schema(
        type=OpenAPIType.OBJECT,
        required=["source", "items"],
        properties={
            "source": _text(40, least=1, about="Without spaces, colons and slashes."),
            "items": Schema(type=OpenAPIType.ARRAY, items=items, min_items=1, max_items=MOST_ITEMS),
        },
    )


_STORY_IDS = Schema(
    type=OpenAPIType.OBJECT,
    required=["story_ids"],
    properties={
        "story_ids": Schema(
            type=OpenAPIType.ARRAY,
            items=Schema(type=OpenAPIType.INTEGER, minimum=1),
            min_items=1,
            max_items=MOST_STORY_IDS,
        )
    },
)


def _header(name: str, about: str, pattern: str) -> Parameter:
    schema = Schema(type=OpenAPIType.STRING, pattern=pattern)
    return Parameter(name=name, param_in="header", required=True, description=about, schema=schema)


_SIGNED = (
    _header(signing.KEY_ID, "Which key signs.", "^[A-Za-z0-9_-]{1,64}$"),
    _header(signing.TIMESTAMP, "Now, in seconds since 1970; at most 300 off.", "^[0-9]{1,12}$"),
    _header(signing.NONCE, "New for every attempt.", "^[!-~]{1,128}$"),
    _header(
        signing.SIGNATURE,
        "Lower-case hex of HMAC-SHA256, under the key's secret, over method, path, timestamp, "
        "nonce and the hex SHA-256 of the body as it is sent, joined by full stops.",
        "^[0-9a-f]{64}$",
    ),
)
_NAMED = (
    _header(
        signing.REQUEST_ID,
        "A UUID, by which the request is asked after.",
        "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
    ),
    _header(
        signing.IDEMPOTENCY_KEY,
        "The same for every attempt to send the same body.",
        "^[ -~]{1,120}$",
    ),
)


def _add(operation: Operation, headers: Sequence[Parameter], body: Schema | None = None) -> None:
    operation.parameters = [*(operation.parameters or ()), *headers]
    if body is not None:
        content = {"application/json": OpenAPIMediaType(schema=body)}
        operation.request_body = RequestBody(content=content, required=True)


@dataclass
class Stories(Operation):
    """Pushes stories."""

    def __post_init__(self) -> None:
        _add(self, (*_SIGNED, *_NAMED), _bulk(_STORY, ["source_story_id", "updated_at_source"]))


@dataclass
class Chapters(Operation):
    """Pushes chapters."""

    def __post_init__(self) -> None:
        _add(self, (*_SIGNED, *_NAMED), _bulk(_CHAPTER, ["source_story_id", "updated_at_source"]))


@dataclass
class Stats(Operation):
    """Asks for a recount."""

    def __post_init__(self) -> None:
        _add(self, (*_SIGNED, *_NAMED), _STORY_IDS)


@dataclass
class Status(Operation):
    """Asks after a request."""

    def __post_init__(self) -> None:
        _add(self, _SIGNED)
