"""Portable identities match those that other servers make from the same words."""

from rensai.rooms.readers.adapters import portable

# Made once with another implementation of BIP-39 and Ed25519, from the words that the
# standard's own test vectors begin with.
WORDS = "abandon " * 11 + "about"
PUBLIC_KEY = "c5785e1865b708938aff8161d573006496663b1aa10834e396dc566869a2c66a"
FINGERPRINT = "ed0f8784166e0abfff51a9aff9ba259d"


def test_the_same_words_are_the_same_identity_everywhere() -> None:
    assert portable.identity_of(WORDS) == (PUBLIC_KEY, FINGERPRINT)


def test_a_new_phrase_is_twelve_words_with_a_checksum() -> None:
    phrase = portable.new_phrase()
    assert len(phrase.split()) == 12
    assert portable.is_phrase(phrase)
    assert phrase != portable.new_phrase()


def test_a_wrong_word_is_noticed() -> None:
    assert not portable.is_phrase(WORDS.replace("about", "abandon"))
    assert not portable.is_phrase("twelve words that were never on any list of words at all")
