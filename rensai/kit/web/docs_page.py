"""The API's description as plain facts for a page: who reads it needs no script."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from rensai.kit.web.openapi_polish import Json, operations

_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "length at least {}",
    "maxLength": "length at most {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matches {}",
    "default": "{} if absent",
}


class Word(NamedTuple):
    """A piece of a type; `link` names the schema that it refers to."""

    text: str
    link: str = ""


class Field(NamedTuple):
    """A parameter, or a field of a schema."""

    name: str
    place: str
    kind: list[Word]
    required: bool
    notes: list[str]


class Answer(NamedTuple):
    """What may come back."""

    status: str
    description: str
    kind: list[Word]


class Operation(NamedTuple):
    """One thing that the API can do."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    access: list[str]
    fields: list[Field]
    body: list[Word]
    answers: list[Answer]
    example: str


class Schema(NamedTuple):
    """A named shape of data."""

    name: str
    description: str
    fields: list[Field]
    kind: list[Word]


class Facts(NamedTuple):
    """Everything on the page."""

    version: str
    intro: list[str]
    groups: dict[str, list[Operation]]
    schemas: list[Schema]


def facts(document: Json) -> Facts:
    """Everything that a reader of the API's documentation wants to see."""
    groups: dict[str, list[Operation]] = {}
    server = str(document["servers"][0]["url"])
    for path, method, operation in operations(document):
        group = str((operation.get("tags") or ["other"])[0])
        groups.setdefault(group, []).append(_operation(server, path, method, operation))
    schemas = cast("dict[str, Json]", document["components"]["schemas"])
    return Facts(
        version=document["info"]["version"],
        intro=str(document["info"].get("description", "")).split("\n\n"),
        groups=dict(sorted(groups.items())),
        schemas=[_schema(name, schema) for name, schema in schemas.items()],
    )


def _operation(server: str, path: str, method: str, operation: Json) -> Operation:
    content = cast("Json", operation.get("requestBody", {}).get("content", {}))
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        description=operation.get("description", ""),
        access=[name for wanted in operation.get("security", []) for name in cast("Json", wanted)],
        fields=[_parameter(part) for part in operation.get("parameters", [])],
        body=_content_kind(content),
        answers=[
            Answer(status, answer.get("description", ""), _content_kind(answer.get("content", {})))
            for status, answer in cast("dict[str, Json]", operation["responses"]).items()
        ],
        example=_example(server + path, method.upper(), operation),
    )


def _example(address: str, method: str, operation: Json) -> str:
    parts = ["curl"]
    if method != "GET":
        parts.append(f"-X {method}")
    if operation.get("security"):
        parts.append("-H 'Authorization: Bearer TOKEN'")
    if "requestBody" in operation:
        parts.append("-H 'Content-Type: application/json' -d @body.json")
    return " ".join([*parts, f"'{address}'"])


def _parameter(part: Json) -> Field:
    schema = cast("Json", part.get("schema", {}))
    notes = [part["description"]] if part.get("description") else []
    required = bool(part.get("required"))
    return Field(part["name"], part["in"], list(_kind(schema)), required, notes + _bounds(schema))


def _schema(name: str, schema: Json) -> Schema:
    required = set(cast("list[str]", schema.get("required", [])))
    fields = [
        Field(key, "", list(_kind(inner)), key in required, _notes(inner))
        for key, inner in cast("dict[str, Json]", schema.get("properties", {})).items()
    ]
    kind = [] if fields else list(_kind(schema))
    return Schema(name, schema.get("description", ""), fields, kind)


def _notes(schema: Json) -> list[str]:
    said = schema.get("description")
    return ([said] if said else []) + _bounds(schema)


def _bounds(schema: Mapping[str, Any]) -> list[str]:
    return [
        words.format(value if isinstance(value, str) else json.dumps(value))
        for key, words in _BOUNDS.items()
        if (value := schema.get(key)) is not None
    ]


def _content_kind(content: Json) -> list[Word]:
    for media_type, part in content.items():
        kind = list(_kind(part.get("schema", {})))
        return kind if media_type == "application/json" else [Word(media_type)]
    return []


def _kind(schema: Json) -> Iterator[Word]:
    """A type in words, such as `list of Series` or `text (date-time)`."""
    choices = schema.get("oneOf") or schema.get("anyOf")
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        yield Word(name, name)
    elif choices:
        for position, choice in enumerate(choices):
            if position:
                yield Word(" or ")
            yield from _kind(choice)
    elif "enum" in schema:
        yield Word("one of " + ", ".join(str(value) for value in schema["enum"]))
    elif "const" in schema:
        yield Word(str(schema["const"]))
    elif schema.get("type") == "array":
        yield Word("list of ")
        yield from _kind(schema.get("items", {}))
    else:
        yield Word(_plain(schema))


def _plain(schema: Json) -> str:
    kinds = schema.get("type", "anything")
    name = " or ".join(cast("list[str]", kinds)) if isinstance(kinds, list) else str(kinds)
    name = {"string": "text", "integer": "whole number"}.get(name, name)
    return f"{name} ({schema['format']})" if "format" in schema else name
