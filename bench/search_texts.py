"""Titles, summaries and names in five languages, with the usual few frequent and many rare words.

The frequent words are real ones, from `bench/words`; the many rare ones are put together of
syllables or characters that go together in the language, so that the vocabulary is as large as
that of a library and every word is written as its language is written.
"""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

WORDS = Path(__file__).parent / "words"
LANGUAGES = ("vi", "en", "zh", "ja", "ko")
_RARE = 20_000
_SUMMARY = (40, 150)
_TITLE = {"vi": (2, 6), "en": (2, 6), "zh": (2, 5), "ja": (2, 7), "ko": (2, 5)}


class Deck:
    """Draws with the weights of Zipf: what stands first comes most often."""

    def __init__(self, chance: Random, all_: Sequence[str], power: float = 1.0) -> None:
        self.all = list(all_)
        self._chance = chance
        self._weights = list(
            itertools.accumulate((rank + 2.7) ** -power for rank in range(len(self.all)))
        )

    def draw(self, number: int) -> list[str]:
        """So many, some of them twice."""
        return self._chance.choices(self.all, cum_weights=self._weights, k=number)

    def some(self, number: int) -> list[str]:
        """At most so many, each of them once."""
        return list(dict.fromkeys(self.draw(number)))


class Tongue:
    """What is written in one language."""

    def __init__(self, language: str, chance: Random) -> None:
        said: dict[str, str] = json.loads((WORDS / f"{language}.json").read_text())
        lists = {name: text.split("|") for name, text in said.items()}
        self.language = language
        self.content = lists["content"]
        self._chance = chance
        self._joint, self._stop, self._author = said["joint"], said["stop"], said["author"]
        self._family, self._middle, self._given = (
            lists[name] for name in ("family", "middle", "given")
        )
        rare = self._rare(lists["tail"])
        self._summary = Deck(chance, [*lists["small"], *self.content, *rare])
        capitals = [word.title() if self._joint else word for word in rare]
        self._titles = Deck(chance, [*lists["title"], *capitals], 0.9)

    def title(self) -> str:
        """As long as titles in this language usually are."""
        words = self._titles.draw(self._chance.randint(*_TITLE[self.language]))
        return self._joint.join(words)[:120]

    def summary(self) -> str:
        """Of forty to a hundred and fifty words, in sentences."""
        words = self._summary.draw(self._chance.randint(*_SUMMARY))
        sentences: list[str] = []
        while words:
            length = self._chance.randint(6, 16)
            sentence = self._joint.join(words[:length])
            sentences.append(sentence[:1].upper() + sentence[1:])
            del words[:length]
        return self._stop.join(sentences) + self._stop.strip()

    def author(self) -> str:
        """The name of somebody who writes in it."""
        pick = self._chance.choice
        return self._author.format(
            family=pick(self._family), middle=pick(self._middle), given=pick(self._given)
        )

    def _rare(self, pieces: Sequence[str]) -> list[str]:
        between = " " if self.language == "vi" else ""
        lengths = (2, 2, 3) if self.language in {"en", "ko"} else (2,)
        found: dict[str, None] = {}
        while len(found) < min(_RARE, len(pieces) ** 2 * 3 // 4):
            made = self._chance.choices(pieces, k=self._chance.choice(lengths))
            found[between.join(made)] = None
        return list(found)
