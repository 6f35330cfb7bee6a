"""Bodies are read strictly: the right type, the right size, the right depth, or a clear no."""

import gzip
import json
from collections.abc import AsyncGenerator

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.kit.errors import RensaiError
from rensai.kit.web import bodies
from tests.kit.web.front import Thing

pytestmark = pytest.mark.anyio

JSON = {"content-type": "application/json"}
DEEP = 100_000


async def send(client: httpx.AsyncClient, body: bytes, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await client.post("/api/v1/things", content=body, headers={**JSON, **named})


async def test_a_good_body_arrives(client: httpx.AsyncClient) -> None:
    answer = await send(client, b'{"name":"a","parts":[{"pageNumber":1}]}')
    assert answer.status_code == 200
    assert answer.json()["parts"] == [{"pageNumber": 1, "kind": ""}]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (b'{"name":5}', "name"),
        (b'{"name":"a","parts":[{"pageNumber":1},{"pageNumber":"2"}]}', "parts[1].pageNumber"),
        (b'{"name":"a","parts":[{}]}', "parts[0]"),
        (b'{"name":"a","parts":[{"pageNumber":1,"page_number":1}]}', "parts[0]"),
        (b'{"name":"a","unknown":1}', ""),
        (b'{"name":""}', "name"),
        (b'{"name":"a","weight":1e999}', "weight"),
        (b'{"name":"a","parts":[{"pageNumber":1.5}]}', "parts[0].pageNumber"),
        (b'{"name":"a","parts":[{"pageNumber":' + b"9" * 5000 + b"}]}", "parts[0].pageNumber"),
        (b'{"name":null}', "name"),
        (b"{}", ""),
        (b"[]", ""),
        (b"5", ""),
        (b"null", ""),
        (b'"text"', ""),
    ],
)
async def test_a_wrong_field_is_named(client: httpx.AsyncClient, body: bytes, path: str) -> None:
    answer = await send(client, body)
    assert answer.status_code == 422
    assert answer.json()["code"] == "VALIDATION_ERROR"
    (detail,) = answer.json()["details"]
    assert (detail["path"], detail["in"]) == (path, "body")
    assert detail["message"]
    assert "$" not in detail["message"]


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"x",
        b"{'name':'a'}",
        b'{"name":"a",}',
        b'{"name":NaN}',
        b"\xef\xbb\xbf{}",
        b'{"name":"\xff"}',
        b'{"name":"\xed\xa0\x80"}',
        b'{"name":"\\ud800"}',
        b'{"name":"\\ud800abcdef"}',
        b'{"name":"a"}{"name":"b"}',
        b"\x00",
    ],
)
async def test_what_is_not_json_is_a_bad_request(client: httpx.AsyncClient, body: bytes) -> None:
    answer = await send(client, body)
    assert answer.status_code == 400
    assert answer.json() == {"error": "The body is not valid JSON.", "code": "BAD_REQUEST"}


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"name":', b'{"name":"a","parts":[[', b"[{"])
async def test_a_bottomless_body_is_refused_and_harms_nobody(
    client: httpx.AsyncClient, opening: bytes
) -> None:
    for path in ("/api/v1/things", "/api/v1/large", "/wp-json/novel/v1/things"):
        answer = await client.post(path, content=opening * DEEP, headers=JSON)
        assert answer.status_code in {400, 413, 422}
    assert (await client.get("/api/v1/empty")).status_code == 200


async def test_the_novel_api_refuses_in_its_own_words(client: httpx.AsyncClient) -> None:
    answer = await client.post("/wp-json/novel/v1/things", json={"name": 5})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid_schema"
    assert answer.json()["error"]["details"][0]["path"] == "name"


async def test_a_key_that_comes_twice_counts_with_its_last_value(
    client: httpx.AsyncClient,
) -> None:
    assert (await send(client, b'{"name":"a","name":"b"}')).json()["name"] == "b"


async def test_a_value_is_never_echoed(client: httpx.AsyncClient) -> None:
    answer = await send(client, b'{"name":"a","password":"correct horse battery"}')
    assert answer.status_code == 422
    assert "horse" not in answer.text


async def test_text_with_a_nul_is_refused_however_it_is_written(
    client: httpx.AsyncClient,
) -> None:
    for text in (rb"\u0000", rb"\\\u0000", rb"a\u0000b"):
        assert (await send(client, b'{"name":"' + text + b'"}')).status_code == 422
    for text in (rb"\\u0000", rb"\\\\u0000"):
        answer = await send(client, b'{"name":"' + text + b'"}')
        assert answer.status_code == 200
        assert "u0000" in answer.json()["name"]


@given(st.text(max_size=12))
def test_a_text_is_refused_for_a_nul_exactly_when_it_has_one(text: str) -> None:
    body = json.dumps({"name": "n", "parts": [{"pageNumber": 1, "kind": text}]}).encode()
    try:
        thing: Thing = bodies.decode_json(body, Thing)
    except RensaiError:
        refused = True
    else:
        refused = False
        assert thing.parts[0].kind == text
    # A lone surrogate is no text either, though Python's json writes it.
    assert refused == ("\0" in text or any(0xD800 <= ord(mark) < 0xE000 for mark in text))


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x"]
)
async def test_a_body_that_does_not_call_itself_json_is_refused(
    client: httpx.AsyncClient, kind: str
) -> None:
    headers = {"content-type": kind} if kind else {}
    answer = await client.post("/api/v1/things", content=b'{"name":"a"}', headers=headers)
    assert answer.status_code == 415
    assert answer.json()["code"] == "UNSUPPORTED_MEDIA_TYPE"


@pytest.mark.parametrize(
    "kind",
    [
        "application/json; charset=utf-8",
        "application/vnd.api+json",
        "Application/JSON",
        "application/activity+json",
    ],
)
async def test_json_goes_by_several_names(client: httpx.AsyncClient, kind: str) -> None:
    assert (await send(client, b'{"name":"a"}', content_type=kind)).status_code == 200


async def test_a_missing_body_is_said_to_be_missing(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/v1/things", headers=JSON)
    assert answer.status_code == 422
    assert answer.json()["details"] == [
        {"path": "", "in": "body", "message": "A JSON body is required."}
    ]


@pytest.mark.parametrize(
    ("path", "limit"), [("/api/v1/things", bodies.DEFAULT_BODY_LIMIT), ("/api/v1/large", 3_000_000)]
)
async def test_a_body_may_be_as_large_as_its_route_says_and_no_larger(
    client: httpx.AsyncClient, path: str, limit: int
) -> None:
    frame = len(b'{"name":""}')
    fits = b'{"name":"' + b"x" * (limit - frame) + b'"}'
    assert (await client.post(path, content=fits, headers=JSON)).status_code in {200, 422}
    answer = await client.post(path, content=fits + b" ", headers=JSON)
    assert answer.status_code == 413
    assert answer.json()["code"] == "PAYLOAD_TOO_LARGE"


async def test_a_body_without_a_length_is_measured_as_it_comes(client: httpx.AsyncClient) -> None:
    sent = 0

    async def endless() -> AsyncGenerator[bytes, None]:
        nonlocal sent
        while sent < 100_000_000:
            sent += 65536
            yield b" " * 65536

    answer = await client.post("/api/v1/things", content=endless(), headers=JSON)
    assert answer.status_code == 413
    assert sent < 2 * bodies.DEFAULT_BODY_LIMIT


async def test_a_body_may_come_packed(client: httpx.AsyncClient) -> None:
    packed = gzip.compress(b'{"name":"packed"}')
    for encoding in ("gzip", "x-gzip", " GZIP "):
        answer = await send(client, packed, content_encoding=encoding)
        assert answer.json()["name"] == "packed"
    assert (await send(client, b'{"name":"a"}', content_encoding="identity")).status_code == 200


async def test_a_packed_body_is_measured_unpacked(client: httpx.AsyncClient) -> None:
    bomb = gzip.compress(b" " * (50 * 1024 * 1024))
    assert len(bomb) < 64 * 1024
    assert (await send(client, bomb, content_encoding="gzip")).status_code == 413


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"no gzip at all", 400),
        (gzip.compress(b'{"name":"a"}', mtime=0)[:-4], 400),
        (gzip.compress(b'{"name":"a"}', mtime=0) + b"more", 400),
        (gzip.compress(b'{"name":"a"}', mtime=0) * 2, 400),
    ],
)
async def test_a_broken_package_is_a_bad_request(
    client: httpx.AsyncClient, body: bytes, status: int
) -> None:
    assert (await send(client, body, content_encoding="gzip")).status_code == status


async def test_an_unknown_package_is_refused_with_what_is_known(
    client: httpx.AsyncClient,
) -> None:
    for encoding in ("br", "zstd", "deflate", "gzip, gzip"):
        answer = await send(client, b"x", content_encoding=encoding)
        assert answer.status_code == 415
        assert answer.headers["accept-encoding"] == "gzip"


async def test_a_form_arrives_with_all_its_fields(client: httpx.AsyncClient) -> None:
    form = b"a=1&b=%E2%82%AC+x&a=2&empty="
    answer = await client.post(
        "/form", content=form, headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert answer.json() == {"a": ["1", "2"], "b": ["€ x"], "empty": [""]}


@pytest.mark.parametrize(
    ("form", "status"),
    [(b"a=%ff", 400), (b"a=\xff", 400), (b"a=%00", 422), (b"&".join([b"a=1"] * 1001), 400)],
)
async def test_a_form_that_cannot_be_read_is_refused(
    client: httpx.AsyncClient, form: bytes, status: int
) -> None:
    answer = await client.post(
        "/form", content=form, headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert answer.status_code == status


async def test_times_numbers_and_ids_have_one_form(client: httpx.AsyncClient) -> None:
    assert (await client.get("/api/v1/moments")).json() == {
        "utc": "2026-02-03T04:05:06.000007Z",
        "number": "12.50",
        "id": "0190163d-8694-739b-aea5-966c26f8ad91",
    }
