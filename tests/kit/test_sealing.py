"""Secrets at rest open only with their key, in their place, unchanged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rensai.kit.sealing import CannotUnsealError, Sealer, derive_key, seal, unseal

KEY = derive_key("a secret of the configuration", "api-secrets")


@given(st.binary(max_size=500), st.text(max_size=40))
def test_what_was_sealed_opens_in_its_context_and_in_no_other(plain: bytes, context: str) -> None:
    sealed = seal(KEY, plain, context)
    assert unseal(KEY, sealed, context) == plain
    with pytest.raises(CannotUnsealError):
        unseal(KEY, sealed, context + "x")


def test_the_same_secret_never_looks_the_same_twice() -> None:
    assert seal(KEY, b"x", "c") != seal(KEY, b"x", "c")
    assert b"plain text" not in seal(KEY, b"plain text", "c")


@given(st.data())
def test_no_changed_or_cut_byte_goes_unnoticed(data: st.DataObject) -> None:
    sealed = bytearray(seal(KEY, b"twelve words", "row 7"))
    place = data.draw(st.integers(0, len(sealed) - 1))
    if data.draw(st.booleans()):
        sealed[place] ^= data.draw(st.integers(1, 255))
    else:
        del sealed[place:]
    with pytest.raises(CannotUnsealError):
        unseal(KEY, bytes(sealed), "row 7")


def test_each_purpose_has_a_key_of_its_own() -> None:
    other = derive_key("a secret of the configuration", "actor-keys")
    assert other != KEY
    assert len(other) == 32
    with pytest.raises(CannotUnsealError, match="not configured"):
        unseal(other, seal(KEY, b"x", "c"), "c")


def test_keys_are_derived_the_same_for_ever() -> None:
    derived = derive_key("0123456789abcdef0123456789abcdef", "ingest.api-secrets")
    assert derived.hex() == ("b6f537bd466db163e00ea0c80848c6fa1aa0c526f0c8bee3efe69ec84c3fc5ce")


def test_a_rotated_key_still_opens_the_old_and_names_it_stale() -> None:
    old = Sealer("the first secret", "api-secrets")
    sealed = old.seal(b"hmac key", "api_keys/3")
    rotated = Sealer(["the second secret", "the first secret"], "api-secrets")
    assert rotated.unseal(sealed, "api_keys/3") == b"hmac key"
    assert rotated.stale(sealed)
    anew = rotated.seal(rotated.unseal(sealed, "api_keys/3"), "api_keys/3")
    assert not rotated.stale(anew)
    with pytest.raises(CannotUnsealError):
        old.unseal(anew, "api_keys/3")


def test_what_was_sealed_by_a_later_version_is_refused_plainly() -> None:
    with pytest.raises(CannotUnsealError, match="this version"):
        unseal(KEY, b"\x02" + seal(KEY, b"x", "c")[1:], "c")


def test_an_empty_secret_makes_no_key() -> None:
    with pytest.raises(ValueError, match="needs a secret"):
        derive_key("", "api-secrets")
    with pytest.raises(ValueError, match="needs a secret"):
        Sealer([], "api-secrets")
