"""One line for each answered request, cheap enough to be always on.

The lines look like those of `kit.log`, and are written in small batches: a system call for
every request would cost more than all else the edge does. A line names the path without its
query, because queries carry tokens.
"""

import asyncio
import sys
from datetime import UTC, datetime
from typing import TextIO

import msgspec

from rensai.kit.web.exchange import Exchange

FLUSH_SECONDS = 0.25
_LONGEST_PATH = 256
_QUIET_ROUTES = frozenset(
    {"/healthz", "/readyz", "/metrics", "/static/{digest}/{name}", "(preflight)"}
)
_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


class Line(msgspec.Struct):
    """What a request's line says, in the order in which people read it."""

    time: datetime
    level: str
    logger: str
    event: str
    method: str
    path: str
    status: int
    ms: float
    bytes: int
    route: str
    client: str
    request_id: str


class AccessLog:
    """Collects lines and writes them four times a second, and at the end."""

    def __init__(self, level: str, style: str, stream: TextIO | None = None) -> None:
        self._least = _LEVELS.get(level, 20)
        self._as_text = style == "text"
        self._stream = stream
        self._lines: list[str] = []
        self._encode = msgspec.json.Encoder().encode

    def add(self, exchange: Exchange, method: str, route: str, seconds: float) -> None:
        """Note a finished request: errors of ours as warnings, probes and assets as debug."""
        status = exchange.status
        level = "info"
        if status >= 500 or status == 0:
            level = "warning"
        elif route in _QUIET_ROUTES:
            level = "debug"
        if _LEVELS[level] < self._least:
            return
        client = exchange.scope["client"]
        line = Line(
            datetime.now(UTC),
            level,
            "rensai.access",
            "request",
            method[:16],
            exchange.path[:_LONGEST_PATH],
            status,
            round(seconds * 1000, 2),
            exchange.size,
            route,
            "" if client is None else client[0],
            exchange.request_id,
        )
        if not self._lines:
            asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)
        self._lines.append(_text(line) if self._as_text else self._encode(line).decode())

    def flush(self) -> None:
        """Write what has gathered; a log that cannot be written stops nobody."""
        if not self._lines:
            return
        lines, self._lines = self._lines, []
        stream = self._stream or sys.stderr
        try:
            stream.write("\n".join(lines) + "\n")
            stream.flush()
        except (OSError, ValueError):
            return


def _text(line: Line) -> str:
    path = line.path if line.path.isprintable() else repr(line.path)
    return (
        f"{line.time:%H:%M:%S} {line.level:<7} {line.status} {line.method} {path} "
        f"{line.ms} ms {line.bytes} B client={line.client} request_id={line.request_id} "
        f"[{line.logger}]"
    )
