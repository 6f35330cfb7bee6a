"""A small server that answers each request as it is told, and remembers what it was sent."""

import json
import socket
import struct
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Script:
    """What to do with the first request, the second, and so on; then everything is accepted."""

    steps: list[Callable[["Handler"], None]]
    received: list[Received] = field(default_factory=list[Received])


class Handler(BaseHTTPRequestHandler):
    """Follows the script of its server."""

    protocol_version = "HTTP/1.1"
    script: Script

    def do_POST(self) -> None:
        self._follow()

    def do_GET(self) -> None:
        self._follow()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base has it
        """Say nothing."""

    def answer(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def _follow(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        names = {name.lower(): value for name, value in self.headers.items()}
        self.script.received.append(Received(self.command, self.path, names, body))
        place = len(self.script.received) - 1
        steps = self.script.steps
        (steps[place] if place < len(steps) else accept)(self)


Step = Callable[[Handler], None]


def accept(handler: Handler) -> None:
    """202 for every item."""
    sent = handler.script.received[-1]
    count = len(json.loads(sent.body)["items"]) if "content-encoding" not in sent.headers else 1
    named = {"request_id": sent.headers["x-novel-request-id"]}
    handler.answer(202, named | {"accepted_count": count, "rejected_count": 0})


def refuse(status: int, code: str = "internal_error", **headers: str) -> Step:
    """An error in the envelope of the contract."""

    def step(handler: Handler) -> None:
        error = {"error": {"code": code, "message": f"It is {code}."}}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        handler.answer(status, error, named)

    return step


def reset(handler: Handler) -> None:
    """The line breaks once the body has arrived."""
    no_lingering = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, no_lingering)
    handler.close_connection = True
    handler.connection.close()


def cut_off(handler: Handler) -> None:
    """The answer breaks off in the middle."""
    handler.send_response(202)
    handler.send_header("Content-Length", "500")
    handler.end_headers()
    handler.wfile.write(b'{"request_id":')
    handler.close_connection = True


def slow(seconds: float) -> Step:
    """No answer for a while."""

    def step(handler: Handler) -> None:
        time.sleep(seconds)
        handler.close_connection = True

    return step


def tell_time(seconds: float, then: "Step") -> "Step":
    """Do it by a clock that is so far off."""

    def step(handler: Handler) -> None:
        shown = formatdate(time.time() + seconds, usegmt=True)
        handler.date_time_string = lambda timestamp=None: shown
        then(handler)

    return step


class Server:
    """Where it listens, and what it was sent."""

    def __init__(self, url: str, script: Script) -> None:
        self.url = url
        self._script = script

    @property
    def received(self) -> list[Received]:
        return self._script.received


@contextmanager
def misbehaving(*steps: Step) -> Generator[Server, None, None]:
    """A server that follows these steps."""
    script = Script(list(steps))
    own = type("Own", (Handler,), {"script": script})
    listening = ThreadingHTTPServer(("127.0.0.1", 0), own)
    listening.daemon_threads = True
    thread = Thread(target=listening.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{listening.server_address[1]}", script)
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join(5)
