"""The first page and the shelves, as HTML."""

import re

import pytest

from tests.rig import Rig
from tests.rooms.catalogue.stories import add_story, fill

pytestmark = pytest.mark.anyio

_NEXT = re.compile(r'rel="next" href="([^"]+)"')


async def test_titles_are_shown_as_text_in_their_own_language(rig: Rig) -> None:
    await add_story(rig.db, "x", title='<b>"Thần"</b>', authors=["<i>A</i>", "B"])
    for path in ("/", "/browse"):
        page = (await rig.client.get(path)).text
        assert 'lang="vi">&lt;b&gt;&#34;Thần&#34;&lt;/b&gt;<' in page
        assert "&lt;i&gt;A&lt;/i&gt;, B" in page


async def test_the_shelves_go_on_by_plain_links(rig: Rig) -> None:
    await fill(rig.db, 200)
    path, pages, titles = "/browse?sort=newest", 0, list[str]()
    while path:
        page = (await rig.client.get(path)).text
        titles += re.findall(r'class="card-title"[^>]*>([^<]+)<', page)
        pages += 1
        found = _NEXT.search(page)
        path = found[1].replace("&amp;", "&") if found else ""
    assert pages == len(titles) // 24 + 1
    assert len(titles) == len(set(titles)) > 48


async def test_a_made_up_cursor_or_order_is_a_page_that_says_so(rig: Rig) -> None:
    for query in ("cursor=x", "sort=colour", "cursor="):
        answer = await rig.client.get(f"/browse?{query}", headers={"Accept": "text/html"})
        assert answer.status_code == 422
        assert answer.headers["content-type"].startswith("text/html")


async def test_no_shared_cache_keeps_a_page_that_names_its_visitor(rig: Rig) -> None:
    for path in ("/", "/browse"):
        answer = await rig.get(path)
        assert answer.headers["Cache-Control"] == "private, no-cache"
