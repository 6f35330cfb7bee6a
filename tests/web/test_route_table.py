"""Every route of the site, whatever room it is from, keeps the same manners."""

import re
from html.parser import HTMLParser

import httpx
import pytest
from litestar.handlers import HTTPRouteHandler

from rensai.kit.web.surfaces import Surface, surface_of
from rensai.wiring.routes import ROUTES
from tests.rig import Rig

pytestmark = pytest.mark.anyio

HTML = {"accept": "text/html"}
_PARAMETER = re.compile(r"\{\w+:(\w+)\}")
_EXAMPLES = {"int": "1", "str": "x", "path": "x", "uuid": "0190163d-8694-739b-aea5-966c26f8ad91"}


def methods_by_path() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for handler in ROUTES:
        assert isinstance(handler, HTTPRouteHandler), "the table is flat: one handler after another"
        for path in handler.paths:
            found.setdefault(path, set()).update(map(str, handler.http_methods))
    return found


PATHS = methods_by_path()


def example(path: str) -> str:
    return _PARAMETER.sub(lambda match: _EXAMPLES[match[1]], path)


class Inline(HTMLParser):
    """Finds what a strict content policy would not run or show."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.elsewhere: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        if tag == "style" or (tag == "script" and "src" not in names):
            self.found.append(tag)
        self.found += [name for name in names if name == "style" or name.startswith("on")]
        if (names.get("href") or "").lower().startswith("javascript:"):
            self.found.append("javascript:")
        for name in ("src", "href", "action"):
            if name in names and tag in {"script", "link", "img", "form", "iframe"}:
                address = names[name] or ""
                if not address.startswith(("/", "data:")) or address.startswith("//"):
                    self.elsewhere.append(address)


def assert_protected(answer: httpx.Response) -> None:
    headers = answer.headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert re.fullmatch(r"[0-9a-f]{32}", headers["x-request-id"])
    if answer.text and headers.get("content-type", "").startswith("text/html"):
        page = Inline(answer.text)
        assert page.found == []
        assert page.elsewhere == []
        assert "<title>" in answer.text
        assert 'lang="' in answer.text


def assert_envelope(path: str, answer: httpx.Response, *, page: bool) -> None:
    surface = surface_of(path)
    if surface is Surface.NOVEL:
        assert set(answer.json()) == {"error"}
        assert {"code", "message"} <= set(answer.json()["error"])
    elif surface is Surface.API or not page:
        assert {"error", "code"} <= set(answer.json()) <= {"error", "code", "details"}
    else:
        assert answer.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("path", sorted(PATHS))
async def test_a_route_answers_and_every_answer_is_protected(rig: Rig, path: str) -> None:
    for method in sorted(PATHS[path]):
        answer = await rig.client.request(method, example(path), headers=HTML)
        assert answer.status_code < 500, answer.text
        assert answer.status_code != 405
        assert_protected(answer)
        if surface_of(path) is not Surface.SITE:
            assert answer.headers["x-api-version"] == "1.0.0"


@pytest.mark.parametrize("path", sorted(PATHS))
async def test_a_method_that_a_route_lacks_is_405_with_those_it_has(rig: Rig, path: str) -> None:
    lacking = ({"GET", "POST", "PUT", "PATCH", "DELETE"} - PATHS[path]) | {"BREW"}
    allowed = {*PATHS[path], "OPTIONS", *(["HEAD"] if "GET" in PATHS[path] else [])}
    for method in sorted(lacking):
        for accept in ("text/html", "application/json"):
            answer = await rig.client.request(method, example(path), headers={"accept": accept})
            assert answer.status_code == 405
            assert set(answer.headers["allow"].split(", ")) == allowed
            assert_protected(answer)
            assert_envelope(path, answer, page=accept == "text/html")


@pytest.mark.parametrize("path", sorted(PATHS))
async def test_head_and_options_work_wherever_they_should(rig: Rig, path: str) -> None:
    answer = await rig.client.options(example(path))
    assert answer.status_code == 204
    allowed = {*PATHS[path], "OPTIONS", *(["HEAD"] if "GET" in PATHS[path] else [])}
    assert set(answer.headers["allow"].split(", ")) == allowed
    assert_protected(answer)
    if "GET" in PATHS[path]:
        answer = await rig.client.head(example(path))
        assert answer.content == b""
        assert answer.status_code not in {405, 500}
        assert_protected(answer)


@pytest.mark.parametrize(
    "path", ["/nowhere", "/api/nowhere", "/api/v1/nowhere", "/wp-json/novel/v1/nowhere", "/static/"]
)
async def test_an_unknown_path_is_404_in_the_right_envelope(rig: Rig, path: str) -> None:
    for accept in ("text/html", "application/json"):
        answer = await rig.get(path, headers={"accept": accept})
        assert answer.status_code == 404
        assert_protected(answer)
        assert_envelope(path, answer, page=accept == "text/html")


@pytest.mark.parametrize("path", sorted(path for path in PATHS if "POST" in PATHS[path]))
@pytest.mark.parametrize("body", [b"", b"{", b"[" * 50_000, b"\xff", b"null", b"a=%ff&b=%00"])
async def test_no_body_is_a_fault_of_ours(rig: Rig, path: str, body: bytes) -> None:
    for kind in ("application/json", "application/x-www-form-urlencoded", "multipart/form-data"):
        for encoding in ("identity", "gzip", "br"):
            headers = {"content-type": kind, "content-encoding": encoding, **HTML}
            answer = await rig.post(example(path), content=body, headers=headers)
            assert answer.status_code < 500
            assert_protected(answer)


def test_the_detector_finds_what_a_strict_policy_forbids() -> None:
    for page in (
        "<style>a{}</style>",
        "<script>1</script>",
        "<p style='color:red'>",
        "<a onclick='x()'>",
        "<a href='javascript:x()'>",
    ):
        assert Inline(page).found
    assert Inline("<script src='https://cdn.example.com/x.js'></script>").elsewhere
    assert not Inline("<script src='/static/x.js'></script><a href='https://x'>x</a>").found
