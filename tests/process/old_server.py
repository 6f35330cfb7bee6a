"""Just enough of PostgreSQL's protocol to say that it is an old release."""

import socketserver
import struct
import threading
from collections.abc import Generator
from contextlib import contextmanager

VERSION = "15.4"
ANSWERS = {"pg_backend_pid": (23, struct.pack("!i", 4711)), "server_version_num": (25, b"150004")}


class _OldServer(socketserver.StreamRequestHandler):
    """Answers the few questions that a client asks before it turns away."""

    def handle(self) -> None:
        if not self._greet():
            return
        asked = ""
        while (kind := self.rfile.read(1)) not in {b"", b"X"}:
            body = self.rfile.read(struct.unpack("!i", self.rfile.read(4))[0] - 4)
            if kind == b"P":
                asked = body.decode(errors="replace")
            self._answer(kind, asked)

    def _greet(self) -> bool:
        size, code = struct.unpack("!ii", self.rfile.read(8))
        self.rfile.read(size - 8)
        if code == 80877103:  # asks for TLS
            self.wfile.write(b"N")
            return self._greet()
        self._say(b"R", struct.pack("!i", 0))
        for name, value in (("server_version", VERSION), ("client_encoding", "UTF8")):
            self._say(b"S", f"{name}\0{value}\0".encode())
        self._say(b"K", struct.pack("!ii", 4711, 1))
        self._say(b"Z", b"I")
        return True

    def _answer(self, kind: bytes, asked: str) -> None:
        found = next((answer for name, answer in ANSWERS.items() if name in asked), (25, b""))
        if kind == b"Q":
            self._say(b"C", b"BEGIN\0")
            self._say(b"Z", b"T")
        elif kind == b"P":
            self._say(b"1", b"")
        elif kind == b"D":
            self._say(b"t", struct.pack("!h", 0))
            column = struct.pack("!ihihih", 0, 0, found[0], -1, -1, 1)
            self._say(b"T", struct.pack("!h", 1) + b"answer\0" + column)
        elif kind == b"B":
            self._say(b"2", b"")
        elif kind == b"E":
            self._say(b"D", struct.pack("!hi", 1, len(found[1])) + found[1])
            self._say(b"C", b"SELECT 1\0")
        elif kind == b"S":
            self._say(b"Z", b"T")

    def _say(self, kind: bytes, body: bytes) -> None:
        self.wfile.write(kind + struct.pack("!i", len(body) + 4) + body)


@contextmanager
def old_server() -> Generator[str, None, None]:
    """The address of a server that says it is PostgreSQL 15."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _OldServer) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"postgresql://ada:hunter2@127.0.0.1:{server.server_address[1]}/rensai"
        server.shutdown()
