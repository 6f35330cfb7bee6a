"""What every response carries, and how requests get their names and their addresses."""

import re

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.kit.web.client import Proxies, caller
from rensai.kit.web.request_id import accepted_or_new
from tests.kit.web.front import Front

pytestmark = pytest.mark.anyio

NEW_ID = re.compile(r"[0-9a-f]{32}")


async def test_every_response_is_protected(client: httpx.AsyncClient) -> None:
    for method, path in [
        ("GET", "/api/v1/empty"),
        ("GET", "/page"),
        ("GET", "/nowhere"),
        ("POST", "/api/v1/empty"),
        ("OPTIONS", "/page"),
        ("GET", "/%00"),
        ("GET", "/boom"),
    ]:
        headers = (await client.request(method, path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "strict-origin-when-cross-origin"
        assert headers["x-frame-options"] == "DENY"
        assert headers["strict-transport-security"] == "max-age=31536000"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert "x-request-id" in headers


async def test_a_page_may_load_only_what_is_ours(client: httpx.AsyncClient) -> None:
    headers = (await client.get("/page")).headers
    policy: dict[str, str] = {}
    for part in headers["content-security-policy"].split(";"):
        name, _, sources = part.strip().partition(" ")
        policy[name] = sources
    assert policy["script-src"] == "'self'"
    assert policy["style-src"] == "'self'"
    assert policy["img-src"] == "'self' data: https://cdn.example.com"
    assert policy["form-action"] == "'self'"
    assert policy["base-uri"] == "'none'"
    assert "camera=()" in headers["permissions-policy"]


async def test_data_may_load_nothing(client: httpx.AsyncClient) -> None:
    policy = (await client.get("/api/v1/empty")).headers["content-security-policy"]
    assert "self" not in policy


async def test_a_handler_may_bring_its_own_policy(client: httpx.AsyncClient) -> None:
    headers = (await client.get("/own-policy")).headers
    assert headers.get_list("content-security-policy") == ["default-src 'none'; img-src *"]
    assert headers["x-frame-options"] == "DENY"


async def test_a_site_without_tls_does_not_ask_for_it() -> None:
    async with Front(base_url="http://127.0.0.1:3000").client() as client:
        assert "strict-transport-security" not in (await client.get("/page")).headers


async def test_each_request_gets_a_name_of_its_own(client: httpx.AsyncClient) -> None:
    names = {(await client.get("/api/v1/empty")).headers["x-request-id"] for _ in range(50)}
    assert len(names) == 50
    assert all(NEW_ID.fullmatch(name) for name in names)


async def test_a_sane_name_is_kept(client: httpx.AsyncClient) -> None:
    for name in ("0190163d-8694-739b-aea5-966c26f8ad91", "trace:12345678/1", "a" * 128):
        answer = await client.get("/api/v1/empty", headers={"x-request-id": name})
        assert answer.headers["x-request-id"] == name


@pytest.mark.parametrize(
    "name", ["short", "a" * 129, "with space", "<script>x</script>", "", "ü" * 9]
)
async def test_a_strange_name_is_replaced(client: httpx.AsyncClient, name: str) -> None:
    answer = await client.get("/api/v1/empty", headers={b"x-request-id": name.encode()})
    assert NEW_ID.fullmatch(answer.headers["x-request-id"])


@given(st.binary(max_size=200))
def test_no_name_can_break_a_header_or_a_log_line(inbound: bytes) -> None:
    assert re.fullmatch(r"[A-Za-z0-9._:/+=-]{8,128}", accepted_or_new(inbound))


PROXY, OUTER = "10.0.0.5", "10.0.0.9"


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("192.0.2.7", None, "192.0.2.7"),
        ("192.0.2.7", "198.51.100.1", "192.0.2.7"),
        (PROXY, None, PROXY),
        (PROXY, "198.51.100.1", "198.51.100.1"),
        (PROXY, "1.1.1.1, 198.51.100.1", "198.51.100.1"),
        (PROXY, f"1.1.1.1, 198.51.100.1, {OUTER}", "198.51.100.1"),
        (PROXY, f"{OUTER}", OUTER),
        (PROXY, "unknown", PROXY),
        (PROXY, f"198.51.100.1, unknown, {OUTER}", OUTER),
        (PROXY, "", PROXY),
        (PROXY, "198.51.100.1:4711", "198.51.100.1"),
        (PROXY, "[2001:db8::1]:4711", "2001:db8::1"),
        (PROXY, "2001:db8::1", "2001:db8::1"),
        (PROXY, "::ffff:198.51.100.1", "198.51.100.1"),
        ("::ffff:10.0.0.5", "198.51.100.1", "198.51.100.1"),
        (PROXY, "' OR 1=1", PROXY),
    ],
)
async def test_only_trusted_proxies_say_who_is_calling(
    peer: str, forwarded: str | None, expected: str
) -> None:
    headers = {} if forwarded is None else {"x-forwarded-for": forwarded}
    async with Front(trusted=("10.0.0.0/28", "2001:db8:1::/48")).client(peer) as client:
        assert (await client.get("/api/v1/auth/who", headers=headers)).json()[0] == expected


async def test_several_forwarding_headers_are_one_list() -> None:
    headers = [("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "198.51.100.1")]
    async with Front(trusted=("10.0.0.0/28",)).client(PROXY) as client:
        answer = await client.get("/api/v1/auth/who", headers=headers)
    assert answer.json()[0] == "198.51.100.1"


@pytest.mark.parametrize(
    ("peer", "proto", "expected"),
    [
        (PROXY, "http", "http"),
        (PROXY, "HTTP", "http"),
        (PROXY, "gopher", "https"),
        ("192.0.2.7", "http", "https"),
    ],
)
async def test_only_trusted_proxies_say_how_the_world_reaches_us(
    peer: str, proto: str, expected: str
) -> None:
    async with Front(trusted=("10.0.0.0/28",)).client(peer) as client:
        answer = await client.get("/api/v1/auth/who", headers={"x-forwarded-proto": proto})
    assert answer.json()[1] == expected


@given(st.text(max_size=60), st.binary(max_size=60))
def test_no_forwarding_header_can_do_harm(peer: str, forwarded: bytes) -> None:
    Proxies([]).client_behind(peer, [forwarded, forwarded])


def test_a_household_is_one_caller() -> None:
    assert caller("2001:db8:0:1::5") == caller("2001:db8:0:1:ffff::9") == "2001:db8:0:1::/64"
    assert caller("2001:db8:0:2::5") != caller("2001:db8:0:1::5")
    assert caller("::ffff:192.0.2.7") == caller("192.0.2.7") == "192.0.2.7"
    assert caller("unix") == "unix"
