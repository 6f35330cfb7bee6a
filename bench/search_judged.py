"""How good the answers are: precision at five over a judged set, by category.

The judged library stands among 20,000 stories made by chance from the same words. Of the first
five answers counts which share a reader would be glad of; where fewer than five stories would do,
of as many as there are.

    python -m bench.search_judged --stories 300000
"""

import argparse
import statistics
import sys
from collections.abc import Sequence
from urllib.parse import urlencode

from bench.judged import Judged, queries, stories
from bench.search import RENSAI, SECRET, rebuild, warm_up
from bench.search_asking import Asker
from bench.search_library import search_library
from bench.search_stories import HIDDEN_SOURCE, Stories, Story
from bench.series import Row, Table, begin, finish
from bench.servers import free_port, running, settings

STORIES = 20_000
SHOWN = 5
TARGET = 0.9


def run(number: int = STORIES) -> bool:
    """Whether the target is reached."""
    where = begin(f"Precision at {SHOWN} among {number:,} other stories")
    written = stories(number + 1)
    judged = queries(written, filter(_is_visible, Stories().make(number)))
    with search_library(number, written) as place:
        rebuild(place)
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        environment = settings(place.url, place.folder, port) | {"SESSION_SECRET": SECRET}
        with running([RENSAI, "serve"], environment, url=url):
            warm_up(url)
            asker = Asker(url)
            titles = {story.slug: story.title for story in written}
            precisions = [_precision(asker, one, titles) for one in judged]
            asker.close()
    table = Table("queries", "precision", "perfect", "nothing", named="category")
    for category in dict.fromkeys(one.category for one in judged):
        chosen = [
            precision
            for one, precision in zip(judged, precisions, strict=True)
            if one.category == category
        ]
        table.add(_row(chosen), category)
    table.add(_row(precisions), "all")
    overall = statistics.fmean(precisions)
    return finish(
        "search_judged",
        where,
        table,
        {"queries": len(judged), f"precision at {SHOWN}": overall},
        {f"precision at {SHOWN} >= {TARGET:g}": overall >= TARGET},
    )


def _precision(asker: Asker, judged: Judged, titles: dict[str, str]) -> float:
    """The share of good ones among the first five; tells of those that fall short."""
    asked = urlencode({"q": judged.query, "limit": SHOWN, "counts": "false"})
    answer = asker.ask(f"/api/v1/search?{asked}")
    # An address has the source first, unless the story was uploaded here.
    slugs = [str(item["slug"]).rpartition(":")[2] for item in answer["items"]]
    wanted = min(SHOWN, len(judged.relevant))
    good = sum(slug in judged.relevant for slug in slugs[:wanted])
    if good < wanted:
        shown = [
            f"{'' if slug in judged.relevant else '✗ '}{item['title']}"
            for slug, item in zip(slugs[:wanted], answer["items"], strict=False)
        ]
        missing = sorted(judged.relevant - set(slugs[:wanted]))[: wanted - good]
        print(
            f"  {good}/{wanted} {judged.category}: {judged.query}\n"
            f"      found {answer['total']}, first: {' | '.join(shown) or 'nothing'}\n"
            f"      wanted: {' | '.join(titles.get(slug, slug) for slug in missing)}",
            flush=True,
        )
    return good / wanted


def _row(precisions: Sequence[float]) -> Row:
    return {
        "queries": len(precisions),
        "precision": round(statistics.fmean(precisions), 3),
        "perfect": sum(each == 1 for each in precisions),
        "nothing": sum(each == 0 for each in precisions),
    }


def _is_visible(story: Story) -> bool:
    return story.deleted_at is None and story.status > 0 and story.source != HIDDEN_SOURCE


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="Precision at five over a judged set.")
    options.add_argument("--stories", type=int, default=STORIES, help="made by chance around it")
    sys.exit(0 if run(options.parse_args().stories) else 1)
