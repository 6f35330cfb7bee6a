"""An identity that outlives a server: twelve BIP-39 words and the Ed25519 key in them."""

import hashlib
import unicodedata
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from mnemonic import Mnemonic

_WORDS = Mnemonic("english")
_TWELVE_WORDS = 128  # bits


class Identity(NamedTuple):
    """The public half, which the account keeps."""

    public_key: str
    fingerprint: str


def new_phrase() -> str:
    """Twelve new words. Show them once; they are stored nowhere."""
    return _WORDS.generate(_TWELVE_WORDS)


def normal_phrase(phrase: str) -> str:
    """The words as they were given out, however somebody has typed them."""
    return " ".join(unicodedata.normalize("NFKD", phrase).lower().split())


def is_phrase(phrase: str) -> bool:
    """Whether these are words of the list with a right checksum."""
    return _WORDS.check(phrase)


def identity_of(phrase: str) -> Identity:
    """The identity that a phrase stands for, the same on every server."""
    seed = Mnemonic.to_seed(phrase)
    public = Ed25519PrivateKey.from_private_bytes(seed[:32]).public_key().public_bytes_raw()
    return Identity(public.hex(), hashlib.sha256(public).digest()[:16].hex())
