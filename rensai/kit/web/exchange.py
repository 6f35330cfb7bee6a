"""One request and its response, as the edge sees them pass."""

from rensai.kit.web.asgi import Message, Scope, Send
from rensai.kit.web.envelopes import Answer
from rensai.kit.web.headers import StandingHeaders


class Exchange:
    """Adds the standing headers to a response and remembers how it went."""

    __slots__ = (
        "_head",
        "_send",
        "_standing",
        "_with_get_comes_head",
        "path",
        "request_id",
        "route",
        "scope",
        "size",
        "started",
        "status",
    )

    def __init__(
        self, scope: Scope, send: Send, standing: StandingHeaders, request_id: str
    ) -> None:
        method = scope["method"]
        self.scope = scope
        self.path = scope["path"]
        self.request_id = request_id
        self.route = ""
        self.status = 0
        self.size = 0
        self.started = False
        self._send = send
        self._standing = standing
        self._head = method == "HEAD"
        self._with_get_comes_head = method == "OPTIONS"

    async def send(self, message: Message) -> None:
        """The `send` that the application is given."""
        kind = message["type"]
        if kind == "http.response.start":
            self._start(message)
        elif kind == "http.response.body":
            if self._head:
                message["body"] = b""
            self.size += len(message["body"])
        await self._send(message)

    def _start(self, message: Message) -> None:
        self.started = True
        self.status = status = message["status"]
        headers: list[tuple[bytes, bytes]] = list(message["headers"])
        standing = self._standing.data
        own_policy = False
        for name, value in headers:
            if name == b"content-type":
                if value.startswith(b"text/html"):
                    standing = self._standing.page
            elif name == b"content-security-policy":
                own_policy = True
        if own_policy:
            headers += [pair for pair in standing if pair[0] != b"content-security-policy"]
        else:
            headers += standing
        headers += self._standing.for_path(self.path)
        headers.append((b"x-request-id", self.request_id.encode()))
        if status == 405 or self._with_get_comes_head:
            headers = [_with_head(header) for header in headers]
        message["headers"] = headers

    async def preflight(self) -> None:
        """Answer a CORS preflight; its headers are all that it wants."""
        self.status = 204
        self.started = True
        headers = self._standing.preflight(self.path)
        headers += self._standing.data
        headers.append((b"x-request-id", self.request_id.encode()))
        await self._send({"type": "http.response.start", "status": 204, "headers": headers})
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def answer(self, answer: Answer) -> None:
        """Send a whole answer that no handler made."""
        headers = [
            (name.lower().encode(), value.encode("latin-1"))
            for name, value in answer.headers.items()
        ]
        media_type = answer.media_type
        if media_type.startswith("text/"):
            media_type += "; charset=utf-8"
        headers.append((b"content-type", media_type.encode()))
        headers.append((b"content-length", str(len(answer.body)).encode()))
        await self.send(
            {"type": "http.response.start", "status": answer.status, "headers": headers}
        )
        await self.send({"type": "http.response.body", "body": answer.body, "more_body": False})


def _with_head(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """Wherever GET is allowed, HEAD is: the edge answers it by way of GET."""
    name, value = header
    if name != b"allow" or b"HEAD" in value:
        return header
    methods = sorted({method.strip() for method in value.split(b",")})
    if b"GET" in methods:
        methods = sorted([*methods, b"HEAD"])
    return (name, b", ".join(methods))
