"""Text like that of translated web novels in Vietnamese, as long and as hard to pack.

Words are drawn by chance from a vocabulary with the usual few frequent and many rare ones, some
of them in fixed phrases, so that zstd makes of a chapter what it makes of a real one: two fifths.
"""

import itertools
import math
import random
from collections.abc import Iterator

_ONSETS = "b c ch d đ g gi h k kh l m n ng nh ph qu r s t th tr v x"
_RHYMES = (
    "a à á ả ạ am ám an án ạn ang áng àng anh ánh ành ao áo ào ay áy ày âm ấm ầm ân ấn ần ận âu ấu "
    "ầu ây ấy ầy ăm ắm ăn ắn ăng ắng e é è em en én eo èo ê ế ề ên ến ện êu ếu i í ì ị iên iến iện "
    "iêu iếu inh ính ình im in ín o ó ò ỏ ọ oa oá oà oan oán oàn oi ói òi on ón ong óng òng ô ố ồ "
    "ổ ôi ối ồi ôn ốn ông ống ồng ơ ớ ờ ơi ới ời ơn ớn u ú ù ủ ụ ua úa ùa uân uấn ui úi un ung "
    "úng ùng uôn uốn uy úy ùy ư ứ ừ ử ự ưa ứa ừa ưng ứng ừng ươi ưới ười ương ướng ường ươu ước"
)
_WORDS = 2_500
_PHRASES = 1_500
_QUANTILES = ((0.0, 5_000), (0.5, 12_000), (0.95, 24_000), (0.99, 96_000), (1.0, 180_000))
"""Bytes of a body: the half has at most 12 KB, and so on."""


class Writer:
    """Writes texts; the same seed gives the same ones."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - not a secret
        syllables = [onset + rhyme for onset in _ONSETS.split() for rhyme in _RHYMES.split()]
        self._chance.shuffle(syllables)
        words = syllables[:_WORDS]
        weights = _zipf(len(words), 1.0)
        picks = iter(self._chance.choices(words, weights, k=4 * _PHRASES))
        phrases = [
            " ".join(itertools.islice(picks, self._chance.choice((2, 2, 2, 3, 4))))
            for _ in range(_PHRASES)
        ]
        self._units = words + phrases
        both = [0.6 * weight for weight in weights]
        both += [0.4 * weight for weight in _zipf(len(phrases), 0.9)]
        self._cumulative = list(itertools.accumulate(both))

    def texts(self, number: int) -> list[str]:
        """Bodies of chapters, their sizes spread as they are in a library."""
        sizes = [_size((n + self._chance.random()) / number) for n in range(number)]
        self._chance.shuffle(sizes)
        return [self.text(size) for size in sizes]

    def text(self, size: int) -> str:
        """A text of about so many bytes, in paragraphs of some sentences."""
        paragraphs: list[str] = []
        written = 0
        units = self._stream()
        while written < size:
            paragraph = " ".join(
                self._sentence(units) for _ in range(self._chance.choice((1, 1, 2, 2, 3, 4)))
            )
            if self._chance.random() < 0.3:
                paragraph = f"– {paragraph}"
            paragraphs.append(paragraph)
            written += len(paragraph.encode()) + 2
        return "\n\n".join(paragraphs)

    def _stream(self) -> Iterator[str]:
        while True:
            yield from self._chance.choices(self._units, cum_weights=self._cumulative, k=500)

    def _sentence(self, units: Iterator[str]) -> str:
        words = list(itertools.islice(units, self._chance.choice((4, 6, 8, 9, 11, 14, 18))))
        if len(words) > 8:
            words[len(words) // 2] += ","
        sentence = " ".join(words)
        return sentence[0].upper() + sentence[1:] + self._chance.choice(".....!?…")


def _zipf(number: int, power: float) -> list[float]:
    weights = [1 / (rank + 2.7) ** power for rank in range(number)]
    total = sum(weights)
    return [weight / total for weight in weights]


def _size(part: float) -> int:
    for (low, small), (high, large) in itertools.pairwise(_QUANTILES):
        if part <= high:
            along = (part - low) / (high - low)
            return int(math.exp(math.log(small) + along * math.log(large / small)))
    return _QUANTILES[-1][1]
