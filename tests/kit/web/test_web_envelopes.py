"""Every surface tells its errors in its own words, and tells nothing that it should not."""

import json

import httpx
import pytest

from rensai.kit import errors
from rensai.kit.web.envelopes import as_json
from rensai.kit.web.errors import in_our_words
from rensai.kit.web.surfaces import Surface, surface_of, wants_page

pytestmark = pytest.mark.anyio

HTML = {"accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


async def test_the_api_tells_errors_in_a_flat_envelope(client: httpx.AsyncClient) -> None:
    answer = await client.get("/api/v1/clash", headers=HTML)
    assert answer.status_code == 409
    assert answer.headers["retry-after"] == "3"
    assert answer.json() == {
        "error": "There is no paper left.",
        "code": "OUT_OF_PAPER",
        "details": {"sheets": 0},
    }


async def test_the_novel_api_tells_errors_in_a_nested_envelope(client: httpx.AsyncClient) -> None:
    answer = await client.get("/wp-json/novel/v1/clash", headers=HTML)
    assert answer.status_code == 409
    assert answer.json() == {
        "error": {
            "code": "out_of_paper",
            "message": "There is no paper left.",
            "details": {"sheets": 0},
        }
    }


async def test_a_browser_gets_a_page_that_helps(client: httpx.AsyncClient) -> None:
    answer = await client.get("/clash", headers=HTML)
    assert answer.status_code == 409
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["retry-after"] == "3"
    assert "There is no paper left." in answer.text
    assert answer.headers["x-request-id"] in answer.text
    assert 'href="/"' in answer.text


async def test_a_program_gets_json_from_the_site_too(client: httpx.AsyncClient) -> None:
    answer = await client.get("/clash", headers={"accept": "*/*"})
    assert answer.json()["code"] == "OUT_OF_PAPER"


@pytest.mark.parametrize("path", ["/boom", "/api/v1/boom", "/wp-json/novel/v1/boom"])
@pytest.mark.parametrize("accept", ["text/html", "application/json"])
async def test_a_surprise_is_a_fault_that_leaks_nothing(
    client: httpx.AsyncClient, path: str, accept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = await client.get(path, headers={"accept": accept})
    assert answer.status_code == 500
    assert "swordfish" not in answer.text
    assert "ValueError" not in answer.text
    assert "Traceback" not in answer.text
    assert answer.headers["x-request-id"] in answer.text
    if "json" in answer.headers["content-type"]:
        code = answer.json().get("code") or answer.json()["error"]["code"]
        assert code.upper() == "INTERNAL_ERROR"
    logged = "".join(capsys.readouterr())
    assert "Traceback" in logged
    assert "ValueError" in logged
    assert answer.headers["x-request-id"] in logged


async def test_private_words_stay_private(client: httpx.AsyncClient) -> None:
    for path in ("/clash", "/api/v1/clash"):
        assert "drawer 7" not in (await client.get(path, headers=HTML)).text


@pytest.mark.parametrize(
    ("path", "accept", "expected"),
    [
        ("/nowhere", "text/html", "page"),
        ("/nowhere", "*/*", "flat"),
        ("/api/v1/nowhere", "text/html", "flat"),
        ("/api", "text/html", "flat"),
        ("/wp-json/novel/v1/nowhere", "text/html", "nested"),
        ("/wp-json", "text/html", "nested"),
        ("/apish", "text/html", "page"),
    ],
)
async def test_an_unknown_path_is_404_in_the_envelope_of_its_surface(
    client: httpx.AsyncClient, path: str, accept: str, expected: str
) -> None:
    answer = await client.get(path, headers={"accept": accept})
    assert answer.status_code == 404
    if expected == "page":
        assert answer.headers["content-type"].startswith("text/html")
    elif expected == "flat":
        assert answer.json()["code"] == "NOT_FOUND"
    else:
        assert answer.json()["error"]["code"] == "not_found"


def test_every_error_has_a_status_a_code_and_a_sentence() -> None:
    waiting: list[type[errors.RensaiError]] = [errors.RensaiError]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        for path in ("/api/v1/x", "/wp-json/novel/v1/x"):
            answer = as_json(kind(), path, "id")
            assert 400 <= answer.status < 600
            told = json.loads(answer.body)
            sentence = told["error"] if isinstance(told["error"], str) else told["error"]["message"]
            assert sentence.endswith((".", "!", "?")), kind
            assert "\n" not in sentence


def test_a_library_that_raises_a_fault_of_its_own_is_a_fault() -> None:
    assert in_our_words(RuntimeError("x")).code == "INTERNAL_ERROR"


def test_pages_are_for_browsers_on_the_site_only() -> None:
    assert surface_of("/api/v1/x") is Surface.API
    assert not wants_page("/api/v1/docs", "text/html")
    assert not wants_page("/x", "application/json")
    assert wants_page("/x", "text/html")


async def test_an_error_is_told_even_when_its_page_cannot_be_made(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> str:
        raise LookupError("no such asset")

    monkeypatch.setattr("rensai.kit.web.explain.render_text", broken)
    answer = await client.get("/clash", headers=HTML)
    assert answer.status_code == 409
    assert "There is no paper left." in answer.text
