"""What is wrong with a request before anyone has looked at what it asks for."""

import re
from collections.abc import Sequence

from rensai.kit.errors import RensaiError
from rensai.kit.web.errors import AddressTooLong, BadRequest, HeadersTooLarge, MethodNotAllowed

LONGEST_ADDRESS = 8192
MOST_HEADERS = 100
LARGEST_HEADERS = 32 * 1024

_BROKEN_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_TUNNELS = frozenset({"CONNECT", "TRACE"})
_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

RawHeaders = Sequence[tuple[bytes, bytes]]


def fault_in_address(raw_path: bytes, query: bytes) -> RensaiError | None:
    """An address that is too long, or whose escapes do not spell out readable text."""
    if len(raw_path) + len(query) > LONGEST_ADDRESS:
        return AddressTooLong()
    if b"%" in raw_path or b"%" in query or not (raw_path.isascii() and query.isascii()):
        return _fault_in_escapes(raw_path) or _fault_in_escapes(query)
    return None


def _fault_in_escapes(part: bytes) -> RensaiError | None:
    if _BROKEN_ESCAPE.search(part):
        return BadRequest("The address contains a percent sign that begins no valid escape.")
    text = _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), part)
    if b"\0" in text:
        return BadRequest("The address contains a NUL character.")
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return BadRequest("The address is not valid UTF-8.")
    return None


def fault_in_head(
    method: str, version: str, headers: RawHeaders, named: dict[bytes, bytes]
) -> RensaiError | None:
    """A head that HTTP forbids, or that is too large to be honest."""
    # Values of one name count once: the server itself stops not far above this limit.
    if len(headers) > MOST_HEADERS or sum(map(len, named.values())) > LARGEST_HEADERS:
        return HeadersTooLarge()
    if method in _TUNNELS:
        return MethodNotAllowed(headers={"Allow": _METHODS})
    if version == "1.1" and not named.get(b"host"):
        return BadRequest("The Host header is missing.")
    if len(named) != len(headers) and sum(name == b"host" for name, _ in headers) > 1:
        return BadRequest("There is more than one Host header.")
    return None
