"""The demo's library: novels in five languages, written by chance from lists of words.

It is the same on every run and every machine: chance is seeded, and only `random()` is asked,
whose numbers Python promises never to change. So a demo that was cut off goes on where it was.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

SOURCE = "demo"
LANGUAGES = ("vi", "en", "zh", "ja", "ko")
STORIES = 220
_FIRST_DAY = datetime(2019, 1, 5, 8, tzinfo=UTC)
_LAST_DAY = datetime(2026, 1, 10, 20, tzinfo=UTC)
_FEWEST, _MOST = 24, 260
_STATUSES = (1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 1, 4, 1, 2, 1, 2, 1, 3, 1, 2, 1, 0)
"""Most go on, many are complete; a few rest, were dropped, or are drafts."""


class Words(msgspec.Struct, frozen=True):
    """The words of one language."""

    language: str
    title: str
    first: list[tuple[str, str]]
    second: list[tuple[str, str]]
    family: list[str]
    given: list[str]
    author: str
    genres: list[str]
    slots: dict[str, list[str]]
    chapter: str
    names: list[str]
    summaries: list[str]
    sentences: list[str]
    speech: list[str]
    closings: list[str]
    joint: str
    english: str = ""


class Novel(msgspec.Struct, frozen=True):
    """One novel: what its chapters have in common."""

    number: int
    words: Words
    story_id: str
    title: str
    slug: str
    english: str
    cast: Mapping[str, list[str]]
    chapters: int
    began: datetime
    pause: timedelta
    status: int

    @property
    def ended(self) -> datetime:
        """When its latest chapter came."""
        return self.began + self.pause * (self.chapters - 1)


def novels() -> list[Novel]:
    """All of them, in a fixed order."""
    return [_novel(number) for number in range(STORIES)]


def story_items() -> Iterator[dict[str, Any]]:
    """Every story, as the ingest contract wants it."""
    return (_story(novel) for novel in novels())


def chapter_items() -> Iterator[dict[str, Any]]:
    """Every chapter of every story, as the ingest contract wants it."""
    return (_chapter(novel, no) for novel in novels() for no in range(1, novel.chapters + 1))


def chapter_total() -> int:
    """How many chapters there are, without writing them."""
    return sum(novel.chapters for novel in novels())


@cache
def _words(language: str) -> Words:
    place = files("rensai.wiring") / "demo_words" / f"{language}.json"
    return msgspec.json.decode(place.read_bytes(), type=Words)


def _novel(number: int) -> Novel:
    words = _words(LANGUAGES[number % len(LANGUAGES)])
    chance = Random(f"novel/{number}")  # noqa: S311 - for looks alone
    turn = number // len(LANGUAGES)
    # Every pair of words comes once before any comes again.
    first = words.first[turn % len(words.first)]
    second = words.second[(turn + turn // len(words.first)) % len(words.second)]
    title = words.title.format(first=first[0], second=second[0])
    english = words.english.format(first=first[1], second=second[1]) if words.english else title
    chapters = _FEWEST + int((_MOST - _FEWEST) * chance.random() ** 2)
    span = _LAST_DAY - _FIRST_DAY
    pause = timedelta(hours=12 + int(chance.random() * 80))
    room = span - pause * chapters
    status = _STATUSES[(number * 7 + turn) % len(_STATUSES)]
    # What goes on had its last chapter lately; the rest ended whenever it did.
    share = 0.85 + 0.15 * chance.random() if status == 1 else chance.random()
    return Novel(
        number=number,
        words=words,
        story_id=f"novel-{number + 1:03}",
        title=title,
        slug=_slug(english, words.language),
        english=english,
        cast={
            "hero": [_pick(chance, words.slots["hero"])],
            "friend": _some(chance, words.slots["friend"], 3),
            "place": _some(chance, words.slots["place"], 5),
            "thing": _some(chance, words.slots["thing"], 3),
            "time": words.slots["time"],
            "weather": words.slots["weather"],
        },
        chapters=chapters,
        began=_FIRST_DAY + room * share,
        pause=pause,
        status=status,
    )


def _story(novel: Novel) -> dict[str, Any]:
    words = novel.words
    chance = Random(f"story/{novel.number}")  # noqa: S311 - for looks alone
    author = words.author.format(
        family=_pick(chance, words.family), given=_pick(chance, words.given)
    )
    summary = "\n\n".join(_fill(chance, novel, each) for each in _some(chance, words.summaries, 2))
    item: dict[str, Any] = {
        "source_story_id": novel.story_id,
        "slug": novel.slug,
        "title": novel.title,
        "author_name": author,
        "status": novel.status,
        "language": words.language,
        "summary": summary,
        "genres": _some(chance, words.genres, 2 + int(chance.random() * 3)),
        "updated_at_source": _told(novel.ended),
    }
    if novel.english != novel.title:
        item["aliases"] = [novel.english]
    return item


def _chapter(novel: Novel, no: int) -> dict[str, Any]:
    words = novel.words
    chance = Random(f"chapter/{novel.number}/{no}")  # noqa: S311 - for looks alone
    name = _capital(_fill(chance, novel, _pick(chance, words.names)))
    came = novel.began + novel.pause * (no - 1)
    return {
        "source_story_id": novel.story_id,
        "source_chapter_id": f"{novel.story_id}-{no}",
        "chapter_no": no,
        "slug": f"chapter-{no}",
        "title": words.chapter.format(no=no, name=name),
        "content_raw": _text(chance, novel),
        "published_at": _told(came),
        "updated_at_source": _told(came),
    }


def _text(chance: Random, novel: Novel) -> str:
    """A few paragraphs, a word or two of talk, and an end that asks for the next chapter."""
    words = novel.words
    sentences = _some(chance, words.sentences, 8 + int(chance.random() * 7))
    paragraphs: list[str] = []
    while sentences:
        length = 2 + int(chance.random() * 3)
        taken, sentences = sentences[:length], sentences[length:]
        paragraphs.append(words.joint.join(taken))
        if chance.random() < 0.6:
            paragraphs.append(_pick(chance, words.speech))
    paragraphs.append(_pick(chance, words.closings))
    return "\n\n".join(_capital(_fill(chance, novel, each)) for each in paragraphs)


def _fill(chance: Random, novel: Novel, pattern: str) -> str:
    """The pattern with the novel's own people, places and things in it."""
    return pattern.format_map({slot: _pick(chance, all_) for slot, all_ in novel.cast.items()})


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _pick(chance: Random, among: Sequence[T]) -> T:
    return among[int(chance.random() * len(among))]


def _some(chance: Random, among: Sequence[T], count: int) -> list[T]:
    """That many, each once, in any order."""
    left = list(among)
    return [left.pop(int(chance.random() * len(left))) for _ in range(min(count, len(left)))]


def _slug(english: str, language: str) -> str:
    """Two languages may have the same English title."""
    plain = "-".join(english.lower().replace("'", "").split())
    return plain if language == "en" else f"{plain}-{language}"


def _told(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")
