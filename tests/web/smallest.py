"""The smallest body that a route takes, made from our own description of it."""

from collections.abc import Mapping
from typing import Any, cast

Json = Mapping[str, Any]  # Any: whatever JSON holds

_FORMATS = {
    "uuid": "0190163d-8694-739b-aea5-966c26f8ad91",
    "date-time": "2026-01-01T00:00:00Z",
    "email": "somebody@example.com",
    "uri": "https://example.com/",
}


def smallest_body(document: Json, path: str, method: str) -> object | None:
    """A body that the operation's schema accepts, or None when it takes none."""
    operation = document["paths"].get(path, {}).get(method.lower(), {})
    content = operation.get("requestBody", {}).get("content", {})
    for described in content.values():
        return _smallest(document, described["schema"])
    return None


def _smallest(document: Json, schema: Json) -> object:
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return _smallest(document, document["components"]["schemas"][name])
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            kinds = [kind for kind in schema[choice] if kind.get("type") != "null"]
            return _smallest(document, kinds[0])
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    return _of_type(document, schema)


def _of_type(document: Json, schema: Json) -> object:
    kinds = schema.get("type", "object")
    kind = kinds if isinstance(kinds, str) else next(one for one in kinds if one != "null")
    if kind == "string":
        return _FORMATS.get(schema.get("format", ""), "x" * max(1, schema.get("minLength", 1)))
    if kind in {"integer", "number"}:
        return schema.get("minimum", 1)
    if kind == "boolean":
        return True
    if kind == "array":
        least = cast("int", schema.get("minItems", 0))
        return [_smallest(document, schema["items"]) for _ in range(least)]
    properties = cast("Json", schema.get("properties", {}))
    return {name: _smallest(document, properties[name]) for name in schema.get("required", ())}
