"""Whatever is asked, there is an answer or a clear refusal, and never a slow one."""

from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.rooms.catalogue.incoming import story
from tests.rooms.search.library import FACETS, NOVEL, SEARCH, SUGGEST, Answer, Library

pytestmark = pytest.mark.anyio

FREE = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
async def shelf(library: Library) -> Library:
    await library.add(
        *(story(f"s{n}", title=f"Dao {n}", status=1, genres=["Action"]) for n in range(6))
    )
    return library


async def code(library: Library, address: str) -> tuple[int, str]:
    """The status and the code of the answer to an address as it is."""
    answer = await library.rig.get(address)
    told: Answer = answer.json()
    inside = told["error"] if address.startswith(NOVEL) and "error" in told else told
    return answer.status_code, inside.get("code", "")


REFUSED_BY_SEARCH = {
    "colour=red": "genre",
    "exclude_colour=red": "exclude_genre",
    "custom:none=a": "genre",
    "exclude_custom:none=a": "genre",
    "custom:=a": "genre",
    "sort=best": "popular",
    "sort=": "popular",
    "status=draft": "completed",
    "status=1": "completed",
    "exclude_kind=film": "manga",
    "age=18": "mature",
    "type=film": "series",
    "match=some": "all",
    "counts=yes": "true",
}


@pytest.mark.parametrize("query", REFUSED_BY_SEARCH)
async def test_what_is_unknown_is_refused_with_what_would_be_known(
    shelf: Library, query: str
) -> None:
    answer = await shelf.rig.get(f"{SEARCH}?{query}")
    assert answer.status_code == 422
    assert answer.json()["code"] == "VALIDATION_ERROR"
    assert REFUSED_BY_SEARCH[query] in answer.json()["details"]["allowed"]


@pytest.mark.parametrize(
    "query",
    [
        *("sort=relevance", "sort=relevance&q=%20", "sort=new&sort=new", "q=a&q=b"),
        *("limit=0", "limit=101", "limit=1e9", "limit=-1", "limit=", "limit=9" + "9" * 999),
        *("limit=%D9%A3", "limit=1&limit=2", "values=0", "values=201", "values=x"),
        *("genre=", "author=%20", "genre=" + "x" * 301, "type=novel&type=novel"),
        "&".join(f"genre=g{number}" for number in range(51)),
        *("q=" + "x" * 301, "q=" + "x%20" * 150, "q=" + "%F0%9F%90%89" * 301),
    ],
    ids=lambda query: query[:30],
)
async def test_what_makes_no_sense_is_refused(shelf: Library, query: str) -> None:
    assert await code(shelf, f"{SEARCH}?{query}") == (422, "VALIDATION_ERROR")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (f"{SUGGEST}?q=a&limit=21", (422, "VALIDATION_ERROR")),
        (f"{SUGGEST}?q=a&limit=x", (422, "VALIDATION_ERROR")),
        (f"{SUGGEST}?q={'x' * 301}", (422, "VALIDATION_ERROR")),
        (f"{SUGGEST}?genre=a", (422, "VALIDATION_ERROR")),
        (f"{FACETS}?q=a", (422, "VALIDATION_ERROR")),
        (f"{NOVEL}?colour=red", (400, "invalid_filter")),
        (f"{NOVEL}?sort=best", (400, "invalid_filter")),
        (f"{NOVEL}?sort=relevance", (400, "invalid_filter")),
        (f"{NOVEL}?q={'x' * 301}", (400, "invalid_filter")),
        (f"{NOVEL}?q={'x%20' * 100}", (400, "invalid_filter")),
        (f"{NOVEL}?status=0", (400, "invalid_filter")),
        (f"{NOVEL}?status=1,5", (400, "invalid_filter")),
        (f"{NOVEL}?limit=101", (400, "invalid_filter")),
        (f"{NOVEL}?q=a&author=%20", (400, "invalid_filter")),
        (f"{NOVEL}?updated_after=soon", (400, "invalid_filter")),
        (f"{NOVEL}?updated_after=0001-01-01T00:00:00%2B14:00", (400, "invalid_filter")),
        (f"{NOVEL}?updated_after=9999-12-31T23:59:59-14:00", (400, "invalid_filter")),
        (f"{NOVEL}?cursor=x", (400, "invalid_cursor")),
    ],
    ids=lambda value: str(value)[-40:],
)
async def test_the_other_routes_refuse_as_clearly(
    shelf: Library, address: str, expected: tuple[int, str]
) -> None:
    assert await code(shelf, address) == expected


async def test_a_cursor_is_good_for_its_question_alone(shelf: Library) -> None:
    cursor = (await shelf.ask("dao", limit="2"))["nextCursor"]
    good = await shelf.ask("dao", limit="3", cursor=cursor, counts="false")
    assert len(good["items"]) == 3
    tampered = [
        *(
            cursor[:at] + ("A" if cursor[at] != "A" else "B") + cursor[at + 1 :]
            for at in (0, 9, -1)
        ),
        *(cursor[:-1], cursor + "A", cursor + "=", "", "x", "%00"[1:], "x" * 5000, "\ud800"[:0]),
    ]
    for wrong in tampered:
        address = f"{SEARCH}?q=dao&cursor={quote(wrong)}"
        answer = await shelf.rig.get(address)
        assert answer.status_code == 422, wrong
        assert "cursor" in answer.json()["error"].lower()
    for query in ("q=dao&genre=action", "q=dao&sort=popular", "q=da", "q=dao&match=all", ""):
        assert await code(shelf, f"{SEARCH}?{query}&cursor={cursor}") == (422, "VALIDATION_ERROR")
    listed = (await shelf.ask(None, NOVEL, limit="2"))["next_cursor"]
    found = (await shelf.ask("dao", NOVEL, limit="2"))["next_cursor"]
    for wrong in (listed, found):
        assert await code(shelf, f"{SEARCH}?q=dao&cursor={wrong}") == (422, "VALIDATION_ERROR")
    for address in (
        f"{NOVEL}?q=dao&cursor={listed}",
        f"{NOVEL}?q=dao&cursor={cursor}",
        f"{NOVEL}?cursor={found}",
    ):
        assert await code(shelf, address) == (400, "invalid_cursor")


HOSTILE = [
    *(
        "& | ! <-> <2> :* \\ ' ''",
        "'dao' <-> 'x':*",
        "dao:*",
        "dao:ABCD",
        "!dao",
        "(dao",
        "\\'",
        "%",
    ),
    *(
        "' OR 1=1 --",
        "'; DROP TABLE stories; --",
        "$1",
        "$$",
        "{}",
        "%s",
        "dao\\",
        '"',
        '"""',
        '"dao',
    ),
    *("-" * 300, '"' * 300, ":" * 300, "OR " * 100, "| " * 100, "author:" * 42, "-author:" * 30),
    *(
        ".*" * 100,
        "(a+)+$",
        "[[:alpha:]]",
        "a" * 300,
        "龙" * 300,
        "\u0301" * 300,
        "ﷺ" * 300,
        "İ" * 300,
    ),
    *("🐉" * 100, "\u202e\u200b\ufeff", "\x01\x1f\x7f", "\ufffe\uffff", "e\u0301" * 150, "1" * 300),
    *("= @ # ~ !", "=dao", "@dao", "!dao5", "_", "__dao__", "dao\u2028x", "天" * 150 + "a " * 20),
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:30])
async def test_no_text_is_an_error_of_ours(shelf: Library, text: str) -> None:
    for path in (SEARCH, SUGGEST, NOVEL):
        status, _ = await code(shelf, f"{path}?q={quote(text)}")
        assert status in {200, 400, 422}, path
        for name in ("author", "tag", "custom:x", "source"):
            assert (await code(shelf, f"{path}?{name}={quote(text)}"))[0] in {200, 400, 422}


RAW = [
    "q=%00",
    "q=a%00b",
    "q=%ED%A0%80",
    "q=%ED%A0%80%ED%B0%80",
    "q=%FF%FE",
    "q=%C3",
    "q=%",
    "q=%zz",
    "q",
    "=",
    "&&&",
    "q=a;b=c",
    "q[]=a",
    "%00=a",
    "%ED%A0%80=a",
    "genre=%00",
    "genre=%ED%A0%80",
    "cursor=%00",
    "cursor=%ED%A0%80",
    "q=" + "x" * 7000,
    "q=" + "x" * 10_000,
    "q=" + "%E9%BE%99" * 3000,
    "&".join(["genre=a"] * 3000),
    "&".join(f"custom:t{number}=a" for number in range(500)),
    "&".join(f"x{number}=a" for number in range(1000)),
]


@pytest.mark.parametrize("query", RAW, ids=lambda query: query[:30])
async def test_no_address_is_an_error_of_ours(shelf: Library, query: str) -> None:
    for path in (SEARCH, SUGGEST, FACETS, NOVEL):
        answer = await shelf.rig.get(f"{path}?{query}")
        assert answer.status_code in {200, 400, 414, 422}, (path, answer.text[:200])
        assert len(answer.content) < 20_000


NAME = st.sampled_from(
    ["q", "genre", "exclude_tag", "author", "sort", "limit", "cursor", "match", "type", "custom:a"]
)


def _as_bytes(value: bytes | str) -> bytes:
    return value if isinstance(value, bytes) else value.encode(errors="surrogatepass")


@FREE
@given(st.lists(st.tuples(NAME, st.binary(max_size=30) | st.text(max_size=30)), max_size=5))
async def test_no_bytes_are_an_error_of_ours(
    shelf: Library, asked: list[tuple[str, bytes | str]]
) -> None:
    query = "&".join(f"{name}={quote(_as_bytes(value))}" for name, value in asked)
    for path in (SEARCH, SUGGEST, NOVEL):
        assert (await shelf.rig.get(f"{path}?{query}")).status_code in {200, 400, 422}
