"""Text is compared without case, accents and the difference of the two kana."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.rooms.search.adapters.folding import fold, is_unspaced, runs, spans
from rensai.rooms.search.adapters.words import (
    LONGEST_WORD,
    as_vector,
    compact,
    pairs,
    vocabulary,
    words_of,
)

SAME = [
    ("Thần Đạo", "than dao"),
    ("NGÃ CẬT TÂY HỒNG THỊ", "nga cat tay hong thi"),
    ("ĐẤU PHÁ THƯƠNG KHUNG", "dau pha thuong khung"),
    ("Straße", "strasse"),
    ("Über Öl", "uber ol"),
    ("Æsir œuvre Łódź Þór", "aesir oeuvre lodz thor"),
    ("カタカナ", "かたかな"),
    ("ﾊﾝｶｸ ｶﾞｲﾄﾞ", "はんかく がいど"),
    ("ＦＵＬＬ　Ｗｉｄｔｈ１２", "full width12"),
    ("Don't", "dont"),
    ("Don’t", "dont"),
    ("The Dragon's Heir", "the dragon heir"),
    ("The Dragon’S Heir", "the dragon heir"),
    ("İstanbul", "istanbul"),
    ("ısı", "isi"),
    ("ﬁn", "fin"),
    ("𝐓𝐢𝐭𝐥𝐞 Ⓣⓜ™", "title tmtm"),
]


@pytest.mark.parametrize(("text", "folded"), SAME)
def test_what_is_alike_is_the_same(text: str, folded: str) -> None:
    assert runs(fold(text)) == runs(folded)
    assert runs(fold(text.upper())) == runs(folded) or "ı" in text


def test_hangul_stays_whole_and_kana_keep_their_voice() -> None:
    assert fold("나 혼자만") == "나 혼자만"
    assert fold("ガ") == "が" != fold("カ")


@pytest.mark.parametrize("text", [text for text, _ in SAME] + ["나 혼자만 레벨업", "が", "d'ś x's"])
def test_composed_and_decomposed_text_is_the_same(text: str) -> None:
    composed, apart = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert fold(composed) == fold(apart)
    assert words_of(composed) == words_of(apart)


HARD = st.text(st.sampled_from("as'’ʼSşđıİẦ\u0301\u0323かガﾊﾞ\u3099나레ᄂ 斗1") | st.characters())
"""Text in which letters, marks and apostrophes of several scripts meet."""


@given(HARD)
def test_any_text_is_the_same_composed_and_decomposed(text: str) -> None:
    composed, apart = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert runs(fold(composed)) == runs(fold(apart))


@given(HARD)
def test_what_is_folded_stays_as_it_is(text: str) -> None:
    once = " ".join(runs(fold(text)))
    assert " ".join(runs(fold(once))) == once


def test_scripts_without_spaces_are_cut_into_pairs_and_others_into_words() -> None:
    assert words_of("斗破苍穹") == ["斗破", "破苍", "苍穹", "穹"]
    assert words_of("第3章 Start 나혼") == ["第", "3", "章", "start", "나혼", "혼"]
    assert pairs("人") == ["人"]
    assert compact("Thần-Đạo: 斗破 (2)") == "thandao斗破2"


@given(HARD)
def test_every_word_is_bounded_and_can_be_quoted(text: str) -> None:
    for word in [*words_of(text), compact(text)]:
        assert len(word) <= LONGEST_WORD
        assert not set("'\\ \0_") & set(word)
        assert len(word) <= 2 or not is_unspaced(word) or word == compact(text)


def test_places_and_gaps_of_words_are_told() -> None:
    vector = as_vector(
        titles=["Sky Fall", "Fall"],
        authors=["Ann Lee"],
        tags=["slow burn"],
        summary="of the sky",
        longest_summary=6,
    )
    assert sorted(vector.split(" ")) == sorted(
        [
            *("'=sky':1", "'=fall':2,11", "'@ann':1", "'@lee':2", "'#slow':1", "'#burn':2"),
            *("'~of':1", "'~the':2", "'!skyfall'", "'!fall'", "'!@annlee'", "'!#slowburn'"),
        ]
    )


def test_short_words_numbers_and_pairs_are_no_vocabulary() -> None:
    assert list(vocabulary(["It is 2024 Thần 斗破苍穹"], ["Lê Văn Anh"])) == ["than", "van", "anh"]


@given(HARD)
def test_spans_stand_where_their_words_are(text: str) -> None:
    end_before = 0
    for start, end, word in spans(text):
        assert end_before <= start < end <= len(text)
        assert fold(text[start:end]) == word
        end_before = end


@pytest.mark.parametrize("text", ["Don't", "Thần", "the dragon's", "ǹ'ǹ"])
def test_a_word_is_one_span_however_it_is_written(text: str) -> None:
    for form in ("NFC", "NFD"):
        written = unicodedata.normalize(form, text)
        assert [word for _, _, word in spans(written)] == words_of(written)
