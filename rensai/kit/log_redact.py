"""What must not reach a log is taken out here, wherever in an event it hides.

Three ways: by the name it is kept under (at any depth, in pairs such as headers, and as
`name=value` or `"name": "value"` inside a text), by its looks (a login inside an address, an
Authorization value, a JWT, a token of ours, a private key, a long hexadecimal tag), and by value:
`hide` makes known secrets unprintable. Bodies and raw bytes are never shown. Everything is bounded:
the length of a text, the depth, the number of items, and the size of the whole event.
"""

import dataclasses
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import cast

import msgspec

REDACTED = "[redacted]"
UNLOGGED = "[not logged]"

MAX_TEXT = 2_000
MAX_TRACE = 8_000
MAX_EVENT = 24_000
MAX_ITEMS = 40
MAX_DEPTH = 5
_MARGIN = 300  # looked at beyond the cut, so that no secret loses its name by the cut

_WORDS = (
    r"pass(?:word|wd|phrase|code)|pwd|secret|token|authori[sz]ation|cookie|signature|mnemonic"
    r"|recovery[-_. ]?phrase|seed[-_. ]?phrase|credential|session[-_. ]?id|hmac"
    r"|(?:api|access|private|signing|sealing|secret|encryption)[-_. ]?key|x-api-key|csrf|otp"
)
_SECRET_KEY = re.compile(_WORDS + r"|^(?:pass|auth|session|sid|seed|phrase|jwt|bearer)$", re.I)
_BODY_KEY = re.compile(
    r"^(?:raw_?|request_?|response_?)?(?:body|payload|content(?:_raw|_html|_text)?|form)$", re.I
)

# Every quantifier over what an outsider can send is bounded, so no text makes these slow.
_LOGIN = re.compile(r"(?<=://)[^\s/?#@:]{0,100}:(?!\d{1,5}(?:[/?#\s]|$))\S{0,300}@")
_LOGIN_SHORT = re.compile(r"(?<=://)[^\s/?#@\[]{1,300}@")
_JWT = re.compile(r"eyJ[\w-]{6,}(?:\.[\w-]*){0,4}")
_OWN_TOKEN = re.compile(r"\b(rs[nr]_)[\w-]{6,}")
_SCHEME = re.compile(
    r"\b(bearer|basic|digest|negotiate|hmac(?:-\w{1,12})?)(\s{1,3})(?!\[)[\w+/=.~:-]{6,}", re.I
)
_LONG_TAG = re.compile(r"(?<![0-9a-zA-Z])([0-9a-fA-F]{6})[0-9a-fA-F]{58,}")
_PEM = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END[^\n]{0,60}|\Z)", re.S)
_HEADER_LINE = re.compile(
    r"((?:proxy-)?authorization|(?:set-)?cookie|mnemonic|(?:recovery|seed)[-_. ]?phrase)"
    r"(\\{0,4}[\"']?\s{0,3}(?::|=(?!=))\s{0,3})"
    r"(?![\"'\[])[^\r\n]{1,4000}",
    re.I,
)
_NAMED = re.compile(
    r"((?:" + _WORDS + r")[\w.-]{0,32}\\{0,4}[\"']?\s{0,3}(?:[:=]|,(?=\s?b?\\{0,4}[\"']))\s{0,3})"
    r"(?:(b?\"(?:[^\"\\]|\\.){0,4000}(?:\"|\Z))|(b?'(?:[^'\\]|\\.){0,4000}(?:'|\Z))"
    r"|(?!\[redacted\])(?:(?:[\[({]|b?\\{1,4}[\"'])[^\r\n]{0,4000}|[^\s,;&)}\]]{1,4000}))",
    re.I,
)
_OPTION = re.compile(r"(--?(?:[\w-]{0,32}-)?(?:" + _WORDS + r")\s{1,3})(?![-\[])\S{1,4000}", re.I)
# The patterns with words in them are slow, and needed only where one of their words stands.
_HEADER_STEMS = ("authori", "cookie", "mnemonic", "phrase")
_NAME_STEMS = (
    *("pass", "pwd", "secret", "token", "authori", "cookie", "signature", "mnemonic", "phrase"),
    *("credential", "session", "hmac", "key", "csrf", "otp"),
)
_SCHEME_STEMS = ("bearer", "basic", "digest", "negotiate", "hmac")

_hidden: re.Pattern[str] | None = None
_known: set[str] = set()


def hide(secrets: Iterable[str]) -> None:
    """Never print these values. Very short ones are left alone: they would blot out words."""
    global _hidden  # noqa: PLW0603 - what is secret is a fact about the process
    _known.update(secret for secret in secrets if len(secret) >= 6)
    _clean_short.cache_clear()
    if _known:
        longest_first = sorted(_known, key=len, reverse=True)
        _hidden = re.compile("|".join(re.escape(secret) for secret in longest_first))


def is_secret_name(name: str) -> bool:
    """Whether what is kept under this name is a secret."""
    return _named_secret(name) if len(name) <= 100 else True


@lru_cache(maxsize=2048)
def _named_secret(name: str) -> bool:
    return _SECRET_KEY.search(name) is not None


@lru_cache(maxsize=2048)
def _named_body(name: str) -> bool:
    return _BODY_KEY.match(name) is not None


def clean_text(text: str, limit: int = MAX_TEXT) -> str:
    """A text without its secrets, cut at `limit`."""
    if len(text) <= 64:
        return _clean_short(text)
    if len(text) <= limit:
        return _clean(text)
    return _clean(text[: limit + _MARGIN])[:limit] + "…"


def clean_trace(text: str) -> str:
    """A traceback without its secrets; of a long one the end is kept, which says what happened."""
    if len(text) <= MAX_TRACE:
        return _clean(text)
    return "…" + _clean(text[-MAX_TRACE - _MARGIN :])[-MAX_TRACE:]


@lru_cache(maxsize=4096)
def _clean_short(text: str) -> str:
    return _clean(text)


def _clean(text: str) -> str:
    if _hidden is not None:
        text = _hidden.sub(REDACTED, text)
    if "://" in text:
        text = _LOGIN.sub(REDACTED + "@", text)
        text = _LOGIN_SHORT.sub(REDACTED + "@", text)
    if "-----BEGIN" in text:
        text = _PEM.sub(REDACTED, text)
    low = text.lower()
    if _any_of(_HEADER_STEMS, low):
        text = _HEADER_LINE.sub(r"\1\2" + REDACTED, text)
    if _any_of(_NAME_STEMS, low):
        text = _NAMED.sub(r"\1" + REDACTED, text)
        text = _OPTION.sub(r"\1" + REDACTED, text)
    if _any_of(_SCHEME_STEMS, low):
        text = _SCHEME.sub(r"\1\2" + REDACTED, text)
    if "eyJ" in text:
        text = _JWT.sub(REDACTED, text)
    if "rsn_" in text or "rsr_" in text:
        text = _OWN_TOKEN.sub(r"\1" + REDACTED, text)
    return _LONG_TAG.sub(r"\1…" + REDACTED, text) if len(text) >= 64 else text


def _any_of(stems: tuple[str, ...], low: str) -> bool:
    return any(stem in low for stem in stems)


class _Budget:
    """What is left of the size of one event."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_EVENT

    def text(self, text: str, limit: int = MAX_TEXT) -> str:
        cleaned = clean_text(text, min(limit, max(self.left, 0)))
        self.left -= len(cleaned) + 4
        return cleaned


def clean_event(event: Mapping[str, object]) -> dict[str, object]:
    """A copy of an event that is safe to print and of bounded size."""
    budget = _Budget()
    return {
        budget.text(key, 100): _value_under(key, value, budget, 0)
        for key, value in islice(event.items(), MAX_ITEMS)
    }


def _value_under(name: str, value: object, budget: _Budget, depth: int) -> object:
    if value is None or value is True or value is False:
        return value
    if is_secret_name(name):
        return REDACTED
    if _named_body(name):
        return UNLOGGED
    return _value(value, budget, depth)


def _value(value: object, budget: _Budget, depth: int) -> object:
    if isinstance(value, str):
        return budget.text(value)
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else budget.text(hex(value))
    if isinstance(value, bytes | bytearray | memoryview):
        return f"[{len(cast(bytes, value))} bytes]"
    return _compound(value, budget, depth)


def _compound(value: object, budget: _Budget, depth: int) -> object:
    if budget.left <= 0 or depth >= MAX_DEPTH:
        return "…"
    budget.left -= 8
    inside = _inside(value)
    if isinstance(inside, Mapping):
        return _mapping(cast(Mapping[object, object], inside), budget, depth + 1)
    if isinstance(inside, list | tuple | set | frozenset):
        return _sequence(cast(Iterable[object], inside), budget, depth + 1)
    return budget.text(_as_text(value))


def _inside(value: object) -> object:
    """Structs and dataclasses by their fields, so that the fields' names can speak."""
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name, None) for f in dataclasses.fields(value)}
    return value


def _mapping(value: Mapping[object, object], budget: _Budget, depth: int) -> dict[str, object]:
    cleaned: dict[str, object] = {}
    for key, item in islice(value.items(), MAX_ITEMS):
        name = _name(key)
        cleaned[budget.text(name, 100)] = _value_under(name, item, budget, depth)
    if len(value) > MAX_ITEMS:
        cleaned["…"] = len(value) - MAX_ITEMS
    return cleaned


def _sequence(value: Iterable[object], budget: _Budget, depth: int) -> list[object]:
    items = list(islice(value, MAX_ITEMS + 1))
    if len(items) == 2 and isinstance(items[0], str | bytes):
        # A pair, such as a header: the first names the second.
        name = _name(items[0])
        return [budget.text(name, 100), _value_under(name, items[1], budget, depth)]
    cleaned = [_value(item, budget, depth) for item in items[:MAX_ITEMS]]
    return cleaned if len(items) <= MAX_ITEMS else [*cleaned, "…"]


def _name(key: object) -> str:
    if isinstance(key, bytes):
        return key[:200].decode("latin-1")
    return key if isinstance(key, str) else _as_text(key)


def _as_text(value: object) -> str:
    try:
        if isinstance(value, BaseException):
            return f"{type(value).__name__}: {value}"
        text = str(value)
    except Exception:  # noqa: BLE001 - whatever its author wrote in __str__, a log line goes on
        return f"[{type(value).__name__}]"
    return text
