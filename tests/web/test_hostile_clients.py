"""What a real server does with clients that are broken, slow or wicked.

The HTTP parser is hyper, inside granian: it answers what is no HTTP at all with a bare 400,
431 or 414 and closes the connection. What is HTTP reaches our edge, which answers in the
envelope of the surface. Nothing of this may end in a 500, in a log line that shows a secret,
or in a server that no longer answers.
"""

import json
import threading
import time
from collections.abc import Iterator

import httpx
import pytest

from tests.web.served import Served, listen, status_of

HOST = b"Host: books.example.com\r\n"
JSON = HOST + b"Content-Type: application/json\r\n"
SECRET = "swordfish"


@pytest.fixture(autouse=True)
def still_well(served: Served) -> Iterator[None]:
    """After each test the server answers, has failed at nothing and has told nothing."""
    yield
    assert httpx.get(f"{served.url}/healthz").status_code == 200
    assert served.process.poll() is None
    log = served.log.read_text()
    assert SECRET not in log
    for line in log.splitlines():
        assert json.loads(line)["level"] in {"debug", "info"}, line


@pytest.fixture(scope="module", autouse=True)
def endless_head(served: Served) -> threading.Thread:
    """Somebody who dribbles a head all the while, until the server hangs up."""
    connection = served.connect()

    def dribble() -> None:
        with connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nX-Slow: ")
            try:
                while not listen(connection, 1.0):
                    connection.sendall(b"a")
            except (BrokenPipeError, ConnectionResetError):
                pass

    thread = threading.Thread(target=dribble, daemon=True)
    thread.start()
    return thread


def get(path: bytes, more: bytes = b"", version: bytes = b"1.1") -> bytes:
    return b"GET " + path + b" HTTP/" + version + b"\r\n" + HOST + more + b"\r\n"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (get(b"/healthz"), 200),
        (b"GET /healthz HTTP/1.0\r\n\r\n", 200),
        (get(b"http://elsewhere.example/healthz"), 200),
        (b"GET /healthz HTTP/1.1\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (get(b"/healthz", b"Host: again\r\n"), 400),
        (get(b"/healthz", version=b"3.0"), 400),
        (get(b"/healthz", version=b"9.9"), 400),
        (get(b"/healthz", b"X-Folded: a\r\n b\r\n"), 400),
        (get(b"/healthz", b"X-Spaced : a\r\n"), 400),
        (get(b"/healthz", b"X-Nul: a\x00b\r\n"), 400),
        (get(b"/%00"), 400),
        (get(b"/%zz"), 400),
        (get(b"/a\xff"), 400),
        (get(b"/api/v1/series?q=%ff"), 400),
        (get(b"/" + b"a" * 9_000), 414),
        (get(b"/" + b"a" * 70_000), 414),
        (get(b"/healthz", b"X-Long: " + b"a" * 40_000 + b"\r\n"), 431),
        (get(b"/healthz", b"X-Long: " + b"a" * 200_000 + b"\r\n"), 431),
        (get(b"/healthz", b"".join(b"X-%d: a\r\n" % n for n in range(10_000))), 431),
        (get(b"/healthz", b"X-A: a\r\n" * 150), 431),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64, 400),
        (b"F@O / HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"BREW /healthz HTTP/1.1\r\n" + HOST + b"\r\n", 405),
        (b"get /healthz HTTP/1.1\r\n" + HOST + b"\r\n", 405),
        (b"TRACE / HTTP/1.1\r\n" + HOST + b"\r\n", 405),
        (b"CONNECT elsewhere.example:443 HTTP/1.1\r\n" + HOST + b"\r\n", 405),
        (b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", 404),
        (b"HEAD /healthz HTTP/1.1\r\n" + HOST + b"\r\n", 200),
    ],
)
def test_a_strange_request_gets_the_right_answer(
    served: Served, request_: bytes, status: int
) -> None:
    assert status_of(served.say(request_)) == status


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 5\r\nContent-Length: 6\r\n",
        b"Content-Length: 5, 6\r\n",
        b"Content-Length: -5\r\n",
        b"Content-Length: +5\r\n",
        b"Content-Length: 0x5\r\n",
        b"Content-Length: 99999999999999999999999\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Transfer-Encoding: identity, chunked, identity\r\n",
        b"Transfer-Encoding : chunked\r\n",
        b"Transfer-Encoding:\x0bchunked\r\n",
    ],
)
def test_a_body_of_doubtful_length_is_refused_and_its_connection_closed(
    served: Served, head: bytes
) -> None:
    smuggled = get(b"/smuggled")
    answer = served.say(b"POST /api/v1/auth/login HTTP/1.1\r\n" + JSON + head + b"\r\n" + smuggled)
    assert status_of(answer) == 400
    assert answer.count(b"HTTP/1.1 ") == 1


def test_a_request_cannot_be_smuggled_behind_two_lengths(served: Served) -> None:
    """Chunked wins over Content-Length, and the connection ends with the answer."""
    answer = served.say(
        b"POST /healthz HTTP/1.1\r\n"
        + HOST
        + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        + get(b"/smuggled")
    )
    assert status_of(answer) == 405
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in answer


@pytest.mark.parametrize(
    "chunks", [b"zz\r\nabc\r\n0\r\n\r\n", b"5\r\nabc", b"-1\r\nabc\r\n", b"f" * 20 + b"\r\nabc\r\n"]
)
def test_a_broken_chunk_is_refused(served: Served, chunks: bytes) -> None:
    with served.connect() as connection:
        connection.sendall(
            b"POST /api/v1/auth/login HTTP/1.1\r\n"
            + JSON
            + b"Transfer-Encoding: chunked\r\n\r\n"
            + chunks
        )
        connection.shutdown(1)
        answer = listen(connection, 3)
    # Whoever hangs up in the middle may get nothing at all.
    assert answer == b"" or status_of(answer) == 400


def test_a_websocket_upgrade_is_an_ordinary_request(served: Served) -> None:
    answer = served.say(
        get(
            b"/healthz",
            b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        )
    )
    assert status_of(answer) == 200


def test_an_endless_body_is_cut_off_at_the_limit(served: Served) -> None:
    """Chunk after chunk, without a length: the answer comes before the client is done."""
    with served.connect() as connection:
        connection.sendall(
            b"POST /api/v1/auth/login HTTP/1.1\r\n" + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
        )
        sent = 0
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        try:
            while sent < 64 * 1024 * 1024:
                connection.sendall(chunk)
                sent += 65536
        except (BrokenPipeError, ConnectionResetError):
            pass
        answer = listen(connection, 3)
    assert sent < 16 * 1024 * 1024
    assert answer == b"" or status_of(answer) == 413


def test_a_body_announced_too_large_is_refused_unread(served: Served) -> None:
    answer = served.say(
        b"POST /api/v1/auth/login HTTP/1.1\r\n" + JSON + b"Content-Length: 5000000\r\n\r\n{"
    )
    assert status_of(answer) == 413
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "PAYLOAD_TOO_LARGE"


def test_who_waits_to_be_told_to_go_on_is_told_no_first(served: Served) -> None:
    answer = served.say(
        b"POST /api/v1/auth/login HTTP/1.1\r\n"
        + JSON
        + b"Expect: 100-continue\r\nContent-Length: 5000000\r\n\r\n"
    )
    assert status_of(answer) == 413


def test_secrets_in_a_bad_request_are_not_logged(served: Served) -> None:
    """The check is in `still_well`; here are the places where a secret may hide."""
    word = SECRET.encode()
    served.say(get(b"/nowhere?token=" + word, b"Authorization: Bearer " + word + b"\r\n"))
    served.say(get(b"/healthz", b"Cookie: rensai_session=" + word + b"\r\n", version=b"9.9"))
    body = b'{"username":"a","password":"' + word + b'"'
    for end in (b"}", b'","x":1}', b""):
        served.say(
            b"POST /api/v1/auth/login HTTP/1.1\r\n"
            + JSON
            + b"Content-Length: %d\r\n\r\n" % len(body + end)
            + body
            + end
        )
    httpx.post(f"{served.url}/login", data={"login": "a", "password": SECRET})
    time.sleep(0.5)


def test_the_slow_keep_nobody_else_waiting(served: Served) -> None:
    """A hundred clients that dribble heads and bodies; others are served as ever."""
    slow = [served.connect() for _ in range(100)]
    for number, connection in enumerate(slow):
        if number % 2:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nX-Slow: ")
        else:
            connection.sendall(
                b"POST /api/v1/auth/login HTTP/1.1\r\n" + JSON + b"Content-Length: 100\r\n\r\n{"
            )
    stop = threading.Event()

    def dribble() -> None:
        while not stop.wait(0.2):
            for connection in slow:
                connection.sendall(b" ")

    dribbling = threading.Thread(target=dribble)
    dribbling.start()
    try:
        began = time.monotonic()
        with httpx.Client(base_url=served.url) as client:
            for _ in range(50):
                assert client.get("/api/v1/instance").status_code == 200
        assert time.monotonic() - began < 10
    finally:
        stop.set()
        dribbling.join()
        for connection in slow:
            connection.close()


def test_a_client_that_leaves_in_the_middle_is_no_fault_of_ours(served: Served) -> None:
    for _ in range(20):
        with served.connect() as connection:
            connection.sendall(
                b"POST /api/v1/auth/login HTTP/1.1\r\n" + JSON + b"Content-Length: 100\r\n\r\n{"
            )
    time.sleep(0.5)


def test_a_head_that_never_ends_is_given_up(endless_head: threading.Thread) -> None:
    """One byte a second makes no progress that counts: the head has fifteen seconds in all."""
    endless_head.join(25)
    assert not endless_head.is_alive()
