"""Assets are kept for ever by those who have them, and nothing else can be fetched."""

import gzip
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest

from rensai.kit.web import assets
from rensai.kit.web.access_log import AccessLog
from rensai.kit.web.application import application
from rensai.kit.web.client import Proxies
from rensai.kit.web.headers import Site
from rensai.kit.web.metrics import HttpMetrics

pytestmark = pytest.mark.anyio

STYLE = b"body { color: black }\n" * 200


@pytest.fixture
async def client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, anyio_backend: object
) -> AsyncGenerator[httpx.AsyncClient, None]:
    folder = tmp_path / "assets"
    (folder / "fonts").mkdir(parents=True)
    (folder / "site.css").write_bytes(STYLE)
    (folder / "fonts" / "one.woff2").write_bytes(b"\x00\x01font")
    (folder / "mark.svg").write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    (folder / ".hidden").write_bytes(b"secret")
    (tmp_path / "outside.txt").write_bytes(b"secret")
    monkeypatch.setattr(assets, "all_assets", lambda: assets.Assets.read(folder))
    app = application(
        [assets.serve_asset],
        site=Site("https://books.example.com"),
        proxies=Proxies([]),
        metrics=HttpMetrics(),
        access_log=AccessLog("error", "json"),
        dependencies={},
        state={},
    )
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as visitor:
        yield visitor


async def test_an_asset_may_be_kept_for_ever(client: httpx.AsyncClient) -> None:
    answer = await client.get(assets.address("site.css"))
    assert answer.status_code == 200
    assert answer.content == STYLE
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_an_old_address_still_works_but_is_not_kept(client: httpx.AsyncClient) -> None:
    answer = await client.get("/static/0123456789abcdef/site.css")
    assert answer.content == STYLE
    assert answer.headers["cache-control"] == "public, max-age=60"


async def test_a_good_copy_is_not_sent_again(client: httpx.AsyncClient) -> None:
    address = assets.address("site.css")
    etag = (await client.get(address)).headers["etag"]
    for asked in (etag, f'"x", {etag}', f"W/{etag}"):
        answer = await client.get(address, headers={"if-none-match": asked})
        assert answer.status_code == 304
        assert answer.content == b""
        assert answer.headers["etag"] == etag
    assert (await client.get(address, headers={"if-none-match": '"x"'})).status_code == 200


async def test_text_is_packed_for_those_who_can_unpack_it(client: httpx.AsyncClient) -> None:
    address = assets.address("site.css")
    async with client.stream("GET", address, headers={"accept-encoding": "gzip"}) as answer:
        sent = b"".join([part async for part in answer.aiter_raw()])
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(sent) == STYLE
    plain = await client.get(address, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    refused = await client.get(address, headers={"accept-encoding": "gzip;q=0, identity"})
    assert "content-encoding" not in refused.headers


async def test_a_folder_inside_is_served(client: httpx.AsyncClient) -> None:
    answer = await client.get(assets.address("fonts/one.woff2"))
    assert answer.content == b"\x00\x01font"
    assert answer.headers["content-type"] == "font/woff2"


@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt",
        "%2e%2e/outside.txt",
        "..%2foutside.txt",
        "fonts/../../outside.txt",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        ".hidden",
        "fonts",
        "",
        "site.css%00.png",
        "site.css/",
        "..\\outside.txt",
    ],
)
async def test_nothing_else_can_be_fetched(client: httpx.AsyncClient, path: str) -> None:
    url = httpx.URL("http://x").copy_with(raw_path=f"/static/{'0' * 16}/{path}".encode())
    answer = await client.send(httpx.Request("GET", url))
    assert answer.status_code in {400, 404} or answer.content == STYLE
    assert b"secret" not in answer.content


def test_the_address_changes_when_any_asset_does(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a")
    (tmp_path / "b.css").write_text("b")
    before = assets.Assets.read(tmp_path).digest
    assert assets.Assets.read(tmp_path).digest == before
    (tmp_path / "b.css").write_text("c")
    assert assets.Assets.read(tmp_path).digest != before


def test_naming_an_asset_that_is_not_there_is_a_mistake() -> None:
    with pytest.raises(LookupError, match=r"nothing\.css"):
        assets.address("nothing.css")
