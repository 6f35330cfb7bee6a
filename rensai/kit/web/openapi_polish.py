"""The finish of the API description: what Litestar's generator leaves rough or cannot know."""

import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, cast

from rensai.kit.errors import RateLimited, RensaiError
from rensai.kit.web.surfaces import Surface, surface_of

Json = dict[str, Any]  # Any: a JSON document

_GENERIC = re.compile(r"^(\w+?)_(?:[\w.]+\.)?(\w+)_$")
_REFERENCE = "#/components/schemas/"

_DETAILS: Json = {"description": "What exactly was wrong, where there is more to say."}
_ERROR_SCHEMAS: dict[Surface, tuple[str, Json]] = {
    Surface.API: (
        "Error",
        {
            "title": "Error",
            "description": "What every error of this API looks like.",
            "type": "object",
            "required": ["error", "code"],
            "properties": {
                "error": {"type": "string", "description": "A sentence for people."},
                "code": {"type": "string", "description": "A word for programs."},
                "details": _DETAILS,
            },
        },
    ),
    Surface.NOVEL: (
        "NovelError",
        {
            "title": "NovelError",
            "description": "What every error of the novel API looks like.",
            "type": "object",
            "required": ["error"],
            "properties": {
                "error": {
                    "type": "object",
                    "required": ["code", "message"],
                    "properties": {
                        "code": {"type": "string", "description": "A word for programs."},
                        "message": {"type": "string", "description": "A sentence for people."},
                        "details": _DETAILS,
                    },
                }
            },
        },
    ),
}

Errors = Mapping[tuple[str, str], Sequence[type[RensaiError]]]


Scopes = Mapping[tuple[str, str], str | None]


def polish(document: Json, errors: Errors, scopes: Scopes) -> Json:
    """The same document, finished."""
    schemas: Json = document.setdefault("components", {}).setdefault("schemas", {})
    surfaces: set[Surface] = set()
    for path, method, operation in operations(document):
        surface = surface_of(path)
        surfaces.add(surface)
        _finish_answers(operation)
        _add_errors(operation, surface, errors.get((path, method), ()))
        if (path, method) in scopes:
            _say_who_may(operation, surface, scopes[path, method])
        for parameter in cast("list[Json]", operation.get("parameters", [])):
            parameter.pop("allowEmptyValue", None)
            parameter.pop("allowReserved", None)
    for name in _sent_by_clients(document):
        schemas[name]["additionalProperties"] = False
    for surface in surfaces:
        name, schema = _ERROR_SCHEMAS[surface]
        schemas[name] = schema
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    document["paths"] = dict(sorted(document.get("paths", {}).items()))
    return cast("Json", _tidy(document))


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    """Every operation with its path and method."""
    for path, item in cast("dict[str, Json]", document.get("paths", {})).items():
        for method, operation in item.items():
            if isinstance(operation, dict):
                yield path, method, cast("Json", operation)


def _finish_answers(operation: Json) -> None:
    """Plain phrases, no empty parts, and none of the errors that Litestar assumes."""
    answers: dict[str, Json] = operation["responses"]
    for status in [status for status in answers if status >= "400"]:
        del answers[status]
    for status, answer in answers.items():
        said = answer.get("description")
        if not said or status != "304":
            answer["description"] = HTTPStatus(int(status)).phrase
        if not answer.get("headers"):
            answer.pop("headers", None)
        if status in {"204", "304"}:
            answer.pop("content", None)


def _say_who_may(operation: Json, surface: Surface, scope: str | None) -> None:
    """By a token with this scope, and by a cookie where those count."""
    by_token: Json = {"bearer": [] if scope is None else [scope]}
    operation["security"] = [by_token] if surface is Surface.NOVEL else [{"session": []}, by_token]


def _add_errors(operation: Json, surface: Surface, errors: Sequence[type[RensaiError]]) -> None:
    novel = surface is Surface.NOVEL
    schema = {"$ref": _REFERENCE + _ERROR_SCHEMAS[surface][0]}
    content = {"application/json": {"schema": schema}}
    answers: dict[str, Json] = operation["responses"]
    sentences: dict[int, list[str]] = {}
    for error in errors:
        status = (error.novel_status if novel else None) or error.status
        code = error.novel_code if novel else error.code
        sentence = f"`{code}`: {(error.__doc__ or '').strip().splitlines()[0]}"
        said = sentences.setdefault(status, [])
        if sentence not in said:
            said.append(sentence)
    for status, said in sorted(sentences.items()):
        answers[str(status)] = {"description": "\n\n".join(said), "content": content}
    if str(RateLimited.status) in answers:
        answers[str(RateLimited.status)]["headers"] = {
            "Retry-After": {
                "description": "Seconds to wait.",
                "schema": {"type": "integer", "minimum": 0},
            }
        }
    answers["default"] = {"description": "Any other error.", "content": content}


def _sent_by_clients(document: Json) -> set[str]:
    """The names of all schemas that request bodies are made of."""
    schemas: Json = document["components"]["schemas"]
    found: set[str] = set()
    waiting = [
        name
        for _, _, operation in operations(document)
        for name in _references(operation.get("requestBody", {}))
    ]
    while waiting:
        name = waiting.pop()
        if name not in found and schemas[name].get("type") == "object":
            found.add(name)
            waiting += _references(schemas[name])
    return found


def _references(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        for key, value in cast("Json", part).items():
            if key == "$ref":
                yield str(value).removeprefix(_REFERENCE)
            else:
                yield from _references(value)
    elif isinstance(part, list):
        for value in cast("list[object]", part):
            yield from _references(value)


def _tidy(part: object) -> object:
    """Whole numbers as such, generic types by readable names, `deprecated` only where true."""
    if isinstance(part, dict):
        return {
            _readable(key): _tidy(value)
            for key, value in cast("Json", part).items()
            if not (key == "deprecated" and value is False)
        }
    if isinstance(part, list):
        return [_tidy(value) for value in cast("list[object]", part)]
    if isinstance(part, float) and part.is_integer():
        return int(part)
    if isinstance(part, str) and part.startswith(_REFERENCE):
        return _REFERENCE + _readable(part.removeprefix(_REFERENCE))
    return part


def _readable(name: str) -> str:
    generic = _GENERIC.match(name)
    return f"{generic[1]}Of{generic[2]}" if generic else name
