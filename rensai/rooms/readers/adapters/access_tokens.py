"""Access tokens: JWTs signed with HMAC-SHA256 and with nothing else.

The header names the key, so that a new secret can be put before the old one while tokens of both
are about. PyJWT checks form, algorithm and signature. Its checks of claims are left out: it wants
`sub` to be a string where the novel API shows a number, and it asks the machine for the time
instead of our clock.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import jwt
import msgspec

from rensai.kit.sealing import derive_key
from rensai.rooms.readers.errors import InvalidToken
from rensai.rooms.readers.model.signing import Claims

ALGORITHM = "HS256"
TYPE = "access"
_LONGEST = 2048

_jws = jwt.PyJWS(algorithms=[ALGORITHM])
_decode_claims = msgspec.json.Decoder(Claims).decode


class AccessKeys:
    """The keys of this site, made from its secrets: the first signs, each of them is accepted."""

    def __init__(self, secrets: Sequence[str]) -> None:
        keys = [derive_key(secret, "access tokens").hex() for secret in secrets]
        self._keys = {_name_of(key): key for key in keys}
        self._signer = _name_of(keys[0])

    def sign(self, claims: Claims) -> str:
        """The token that says this."""
        return _jws.encode(
            msgspec.json.encode(claims),
            self._keys[self._signer],
            algorithm=ALGORITHM,
            headers={"kid": self._signer},
        )

    def read(self, token: str) -> Claims:
        """What a token says that we have signed; `InvalidToken` for any other."""
        try:
            if len(token) > _LONGEST:
                raise InvalidToken(private="it is too long")
            key = self._keys.get(str(_jws.get_unverified_header(token).get("kid")))
            if key is None:
                raise InvalidToken(private="no key of ours signed it")
            claims = _decode_claims(_jws.decode(token, key, algorithms=[ALGORITHM]))
        except (jwt.InvalidTokenError, msgspec.MsgspecError, UnicodeError) as problem:
            raise InvalidToken(private=str(problem)) from problem
        if claims.type != TYPE:
            raise InvalidToken(private="it is of another type")
        return claims


@lru_cache(maxsize=4)
def keys_of(secrets: tuple[str, ...]) -> AccessKeys:
    """The keys made from these secrets, once for the process."""
    return AccessKeys(secrets)


def _name_of(key: str) -> str:
    """Names a key without telling anything about it."""
    return hashlib.sha256(b"rensai/access-key-id/" + key.encode()).hexdigest()[:8]
