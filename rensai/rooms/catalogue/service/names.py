"""The other names and the genres that sources give to stories: each time the full set."""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime

import msgspec
from msgspec import UNSET

from rensai.kit.db import Tx
from rensai.rooms.catalogue.model import IncomingStory
from rensai.rooms.catalogue.store import names as store
from rensai.rooms.catalogue.store.names import Alias, OfGenre

SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,119}")
"""The slug of a genre or a term."""

_LONGEST_SLUG = 120
_NOT_IN_SLUGS = re.compile(r"[^a-z0-9]+")
# Letters that do not fall apart into a plain one and an accent.
_LETTERS = str.maketrans(
    {"đ": "d", "ð": "d", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "ß": "ss", "þ": "th", "ı": "i"}
)


class Names(msgspec.Struct, frozen=True):
    """What stories are to be called, by their ids at the source; absent where nothing was said."""

    aliases: dict[str, dict[str, str]]
    """The folded form of each alias, and the alias."""

    genres: dict[str, set[int]]


def genre_slug(name: str) -> str:
    """The name of a genre in small plain letters; a digest when there are none in it."""
    plain = unicodedata.normalize("NFKD", name.casefold()).translate(_LETTERS)
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    slug = _NOT_IN_SLUGS.sub("-", plain).strip("-")
    if any(letter.isalnum() and not letter.isascii() for letter in plain) or not slug:
        # Two names in another script may have the same few Latin letters in them.
        digest = hashlib.sha256(plain.encode()).hexdigest()[:10]
        slug = f"{slug[: _LONGEST_SLUG - 11]}-{digest}".lstrip("-")
    return slug[:_LONGEST_SLUG].strip("-")


async def given_names(tx: Tx, items: Iterable[IncomingStory], now: datetime) -> Names:
    """What the items say, with every genre in the dictionary."""
    aliases: dict[str, dict[str, str]] = {}
    wanted: dict[str, dict[str, str]] = {}
    for item in items:
        if item.deleted:
            continue
        if item.aliases is not UNSET:
            folded: dict[str, str] = {}
            for alias in item.aliases:
                folded.setdefault(alias.casefold(), alias)
            aliases[item.source_story_id] = folded
        if item.genres is not UNSET:
            wanted[item.source_story_id] = {genre_slug(name): name for name in item.genres}
    ids = await _dictionary(tx, wanted.values(), now)
    return Names(aliases, {story: {ids[slug] for slug in slugs} for story, slugs in wanted.items()})


async def renamed(tx: Tx, names: Names, story_ids: Mapping[str, int]) -> set[int]:
    """Which of the stories that are there have other aliases or genres by now."""
    changed: set[int] = set()
    aliased = {
        story_ids[story]: given for story, given in names.aliases.items() if story in story_ids
    }
    if aliased:
        known: defaultdict[int, dict[str, str]] = defaultdict(dict)
        for alias in await store.aliases(tx, list(aliased)):
            known[alias.story_id][alias.folded] = alias.alias
        changed |= {story for story, given in aliased.items() if known[story] != given}
    sorted_in = {
        story_ids[story]: given for story, given in names.genres.items() if story in story_ids
    }
    if sorted_in:
        genres: defaultdict[int, set[int]] = defaultdict(set)
        for one in await store.story_genres(tx, list(sorted_in)):
            genres[one.story_id].add(one.genre_id)
        changed |= {story for story, given in sorted_in.items() if genres[story] != given}
    return changed


async def write_names(tx: Tx, names: Names, story_ids: Mapping[str, int]) -> None:
    """Give these stories, by their ids at the source, the names that they are to have."""
    aliased = [
        (story_ids[story], given) for story, given in names.aliases.items() if story in story_ids
    ]
    if aliased:
        await store.replace_aliases(
            tx,
            [story for story, _ in aliased],
            [
                Alias(story, alias, folded)
                for story, given in aliased
                for folded, alias in given.items()
            ],
        )
    sorted_in = [
        (story_ids[story], given) for story, given in names.genres.items() if story in story_ids
    ]
    if sorted_in:
        await store.replace_story_genres(
            tx,
            [story for story, _ in sorted_in],
            [OfGenre(story, genre) for story, given in sorted_in for genre in sorted(given)],
        )


async def _dictionary(tx: Tx, wanted: Iterable[Mapping[str, str]], now: datetime) -> dict[str, int]:
    """The id of every genre by its slug; those that are new are added."""
    names = {slug: name for genres in wanted for slug, name in genres.items()}
    ids = await _find(tx, names)
    missing = [slug for slug in names if slug not in ids]
    if missing:
        await store.add_genres(tx, missing, [names[slug] for slug in missing], now)
        ids = await _find(tx, names)
    return ids


async def _find(tx: Tx, names: Mapping[str, str]) -> dict[str, int]:
    if not names:
        return {}
    found = await store.find_genres(tx, list(names), list(names.values()))
    by_name = {genre.name: genre.id for genre in found}
    by_slug = {genre.slug: genre.id for genre in found}
    # An operator may have given an entry another slug than its name would.
    return {
        slug: id_
        for slug, name in names.items()
        if (id_ := by_slug.get(slug) or by_name.get(name)) is not None
    }
