"""What a setting is, and the kinds of value that a setting can have.

A kind knows how to read a text and how to say in a few words what it expects.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import urlsplit

T_co = TypeVar("T_co", covariant=True)

Network = IPv4Network | IPv6Network


class ConfigError(Exception):
    """A setting is wrong; the message is one line that names it and says what is expected."""


class NotThisKindError(ValueError):
    """A text is not a value of the kind; whoever reads the setting adds its name."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[T_co]):
    """How to read a text, and the words for what it should have been."""

    expected: str
    read: Callable[[str], T_co]


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: what stands in the environment, and what it means."""

    name: str
    kind: Kind[object]
    meaning: str
    default: str | None = None
    secret: bool = False
    # Words for a default that depends on other settings.
    default_words: str | None = None
    # How many random bytes stand in when the setting is absent outside production.
    generate_bytes: int = 0

    @property
    def default_text(self) -> str:
        """The default as `config show` and the documentation print it."""
        if self.default_words:
            return self.default_words
        return "" if self.default is None else self.default


@dataclass(frozen=True, slots=True)
class About:
    """What the table says of one field; `Setting` adds the name."""

    kind: Kind[object]
    meaning: str
    default: str | None = None
    secret: bool = False
    words: str | None = None
    generate: int = 0


def whole(lowest: int, highest: int) -> Kind[int]:
    """A whole number within bounds, both included."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= len(str(highest))):
            raise NotThisKindError
        number = int(text)
        if not lowest <= number <= highest:
            raise NotThisKindError
        return number

    return Kind(f"a whole number from {lowest} to {highest}", read)


def choice(*words: str) -> Kind[str]:
    """One of a few words."""

    def read(text: str) -> str:
        if text not in words:
            raise NotThisKindError
        return text

    return Kind("one of " + ", ".join(words), read)


def _read_switch(text: str) -> bool:
    word = text.lower()
    if word in {"true", "1", "yes", "on"}:
        return True
    if word in {"false", "0", "no", "off"}:
        return False
    raise NotThisKindError


SWITCH: Kind[bool] = Kind("true or false", _read_switch)


def _read_folder(text: str) -> Path:
    if "\0" in text:
        raise NotThisKindError
    return Path(text).expanduser().absolute()


FOLDER: Kind[Path] = Kind("a folder", _read_folder)


def text_of(least: int = 1, most: int = 4096) -> Kind[str]:
    """One line of text within a length."""

    def read(text: str) -> str:
        if not least <= len(text) <= most or not text.isprintable():
            raise NotThisKindError
        return text

    words = "one line of text" if least <= 1 else f"at least {least} characters in one line"
    return Kind(words, read)


TEXT: Kind[str] = text_of()


def secrets_of_length(least: int) -> Kind[tuple[str, ...]]:
    """One or more secrets with commas between, each of at least this length."""

    def read(text: str) -> tuple[str, ...]:
        parts = tuple(part.strip() for part in text.split(","))
        if not text.isprintable() or any(not least <= len(part) <= 4096 for part in parts):
            raise NotThisKindError
        return parts

    return Kind(f"secrets of at least {least} characters with commas between", read)


def url(*schemes: str, example: str, path: bool = True) -> Kind[str]:
    """An absolute URL with one of the schemes; without `path`, only scheme, host and port."""

    def read(text: str) -> str:
        try:
            parts = urlsplit(text)
            host, _ = parts.hostname, parts.port
        except ValueError:
            raise NotThisKindError from None
        on_a_socket = parts.scheme == "unix" and parts.path.startswith("/")
        local = on_a_socket or ("postgres" in parts.scheme and parts.netloc.endswith("@"))
        if parts.scheme not in schemes or not (host or local or "host=" in parts.query):
            raise NotThisKindError
        if not text.isprintable() or " " in text or parts.fragment:
            raise NotThisKindError
        if not path and (parts.path.strip("/") or parts.query or "@" in parts.netloc):
            raise NotThisKindError
        return text if path else text.rstrip("/")

    return Kind(f"an address such as {example}", read)


def _read_networks(text: str) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(part.strip(), strict=False) for part in text.split(",") if part)
    except ValueError:
        raise NotThisKindError from None


NETWORKS: Kind[tuple[Network, ...]] = Kind(
    "addresses or networks with commas between, such as 10.0.0.0/8,::1", _read_networks
)


_ADDRESS = r"[^<>@\s,;\"\\]{1,64}@[^<>@\s,;\"\\]{1,189}"
_MAILBOX = re.compile(rf"[^<>@,;\"\\]{{1,100}} <{_ADDRESS}>|{_ADDRESS}")


def _read_mailbox(text: str) -> str:
    if not _MAILBOX.fullmatch(text) or not text.isprintable():
        raise NotThisKindError
    return text


MAILBOX: Kind[str] = Kind("an address such as Rensai <books@example.com>", _read_mailbox)
