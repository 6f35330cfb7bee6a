"""Secrets that are handed out once, of which only a hash is kept."""

import hashlib
import secrets

API_TOKEN = "rsn_"  # noqa: S105 - how one begins, by which scanners for leaked secrets know it
REFRESH_TOKEN = "rsr_"  # noqa: S105 - the same
_LENGTH = 43  # 32 random bytes in base64 without padding


def new_secret(prefix: str = "") -> str:
    """32 random bytes as text, after a prefix."""
    return prefix + secrets.token_urlsafe(32)


def looks_like(secret: str, prefix: str = "") -> bool:
    """Whether it is worth asking for: everything that we hand out has this form."""
    return len(secret) == len(prefix) + _LENGTH and secret.startswith(prefix)


def hash_of(secret: str) -> bytes:
    """What is stored of a secret. It is random, so one fast hash protects it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
