"""Secrets at rest: sealed so that the database alone is not enough to read them.

AES-256-GCM under a key that is derived, for each purpose, from a secret of the configuration
that is not in the database. Sealed bytes are

    version (1) | key id (4) | nonce (12) | ciphertext and tag

and bound to a `context`, such as the table and the row they belong to: bytes that are copied to
another row do not open there. The key id makes rotation possible: put the new secret first and
keep the old ones behind it; what `stale` names is sealed anew at leisure.
"""

import os
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256, Hash
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

VERSION = b"\x01"
ID_BYTES = 4
NONCE_BYTES = 12
TAG_BYTES = 16
HEAD_BYTES = len(VERSION) + ID_BYTES


class CannotUnsealError(Exception):
    """Sealed by another key, for another context, or changed since."""


def derive_key(secret: str, purpose: str) -> bytes:
    """32 bytes for one purpose; keys of different purposes tell nothing about each other."""
    if not secret or not purpose:
        raise ValueError("a key needs a secret and a purpose")
    hkdf = HKDF(algorithm=SHA256(), length=32, salt=b"rensai", info=b"rensai/1/" + purpose.encode())
    return hkdf.derive(secret.encode())


def seal(key: bytes, plaintext: bytes, context: str) -> bytes:
    """Encrypt under a key from `derive_key`, bound to the context; each time to other bytes."""
    head = VERSION + _key_id(key)
    nonce = os.urandom(NONCE_BYTES)
    return head + nonce + AESGCM(key).encrypt(nonce, plaintext, head + context.encode())


def unseal(keys: bytes | Sequence[bytes], sealed: bytes, context: str) -> bytes:
    """Decrypt with whichever of the keys sealed it, or raise `CannotUnsealError`."""
    candidates = [keys] if isinstance(keys, bytes) else keys
    head, nonce = sealed[:HEAD_BYTES], sealed[HEAD_BYTES : HEAD_BYTES + NONCE_BYTES]
    if len(sealed) < HEAD_BYTES + NONCE_BYTES + TAG_BYTES or head[:1] != VERSION:
        raise CannotUnsealError("not sealed by this version")
    for key in candidates:
        if head[1:] == _key_id(key):
            try:
                body = sealed[HEAD_BYTES + NONCE_BYTES :]
                return AESGCM(key).decrypt(nonce, body, head + context.encode())
            except InvalidTag as error:
                raise CannotUnsealError("changed, or sealed for another context") from error
    raise CannotUnsealError("sealed by a key that is not configured")


class Sealer:
    """Seals for one purpose: with the newest secret, and opens what any of them sealed."""

    def __init__(self, secrets: str | Sequence[str], purpose: str) -> None:
        """`secrets`: the current one, then those before it that may still have sealed something."""
        newest_first = [secrets] if isinstance(secrets, str) else secrets
        self._keys = [derive_key(secret, purpose) for secret in newest_first]
        if not self._keys:
            raise ValueError("a sealer needs a secret")

    def seal(self, plaintext: bytes, context: str) -> bytes:
        """Encrypt, bound to the context."""
        return seal(self._keys[0], plaintext, context)

    def unseal(self, sealed: bytes, context: str) -> bytes:
        """Decrypt, or raise `CannotUnsealError`."""
        return unseal(self._keys, sealed, context)

    def stale(self, sealed: bytes) -> bool:
        """Whether it should be sealed anew, because an older key or version sealed it."""
        return sealed[:HEAD_BYTES] != VERSION + _key_id(self._keys[0])


def _key_id(key: bytes) -> bytes:
    """Names a key without telling anything about it."""
    digest = Hash(SHA256())
    digest.update(b"rensai/key-id/" + key)
    return digest.finalize()[:ID_BYTES]
