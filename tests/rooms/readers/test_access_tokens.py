"""Access tokens: what is taken for one of ours, and what never is."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64encode
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from rensai.kit.clock import SetClock
from rensai.kit.db import Database
from rensai.rooms.readers.adapters.access_tokens import AccessKeys, keys_of
from rensai.rooms.readers.errors import InvalidToken
from rensai.rooms.readers.model.signing import Claims
from tests.rig import Rig, build_services
from tests.rooms.readers.test_novel_auth import ME, register

pytestmark = pytest.mark.anyio

OLD, NEW = "o" * 40, "n" * 40
SID = UUID("0190163d-8694-739b-aea5-966c26f8ad91")
CLAIMS = Claims(sub=7, username="ada", iat=1000, exp=2000, type="access", sid=SID)


def part(content: object) -> str:
    return urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


def claims(**change: object) -> dict[str, object]:
    return {
        "sub": 7,
        "username": "ada",
        "iat": 1000,
        "exp": 2000,
        "type": "access",
        "sid": str(SID),
    } | change


def signed_by(keys: AccessKeys, content: object, **header: object) -> str:
    """A token that the key of ours has signed, whatever stands in it."""
    kid = jwt.get_unverified_header(keys.sign(CLAIMS))["kid"]
    key = keys._keys[kid]  # pyright: ignore[reportPrivateUsage] - what a thief of it would do
    head = {"alg": "HS256", "typ": "JWT", "kid": kid} | header
    text = f"{part(head)}.{part(content)}"
    tag = hmac.digest(key.encode(), text.encode(), hashlib.sha256)
    return f"{text}.{urlsafe_b64encode(tag).rstrip(b'=').decode()}"


def test_what_we_sign_we_read() -> None:
    keys = AccessKeys([NEW])
    assert keys.read(keys.sign(CLAIMS)) == CLAIMS
    assert keys.read(signed_by(keys, claims())) == CLAIMS


def test_the_subject_is_a_number_and_any_library_can_look_at_it() -> None:
    token = AccessKeys([NEW]).sign(CLAIMS)
    options = {"verify_signature": False, "verify_sub": False, "verify_exp": False}
    # Their type of options is narrower than what they take.
    assert jwt.decode(token, options=options) == claims()  # type: ignore[arg-type]
    assert jwt.get_unverified_header(token)["alg"] == "HS256"


def test_after_a_rotation_the_new_secret_signs_and_the_old_one_is_still_good() -> None:
    before, between, after = AccessKeys([OLD]), AccessKeys([NEW, OLD]), AccessKeys([NEW])
    old = before.sign(CLAIMS)
    assert between.read(old) == CLAIMS
    fresh = between.sign(CLAIMS)
    assert after.read(fresh) == CLAIMS
    with pytest.raises(InvalidToken):
        after.read(old)
    with pytest.raises(InvalidToken):
        before.read(fresh)


@pytest.mark.parametrize("alg", ["none", "None", "HS384", "HS512", "RS256", "ES256", "", None, 7])
def test_no_other_algorithm_is_accepted(alg: object) -> None:
    keys = AccessKeys([NEW])
    with pytest.raises(InvalidToken):
        keys.read(signed_by(keys, claims(), alg=alg))
    kid = jwt.get_unverified_header(keys.sign(CLAIMS))["kid"]
    for tag in ("", "x"):
        with pytest.raises(InvalidToken):
            keys.read(f"{part({'alg': alg, 'kid': kid})}.{part(claims())}.{tag}")


def test_a_public_key_is_no_secret_of_ours() -> None:
    public = generate_private_key(65537, 2048).public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    keys = AccessKeys([NEW])
    kid = jwt.get_unverified_header(keys.sign(CLAIMS))["kid"]
    text = f"{part({'alg': 'HS256', 'kid': kid})}.{part(claims())}"
    tag = urlsafe_b64encode(hmac.digest(pem, text.encode(), "sha256")).rstrip(b"=").decode()
    with pytest.raises(InvalidToken):
        keys.read(f"{text}.{tag}")


@pytest.mark.parametrize(
    "header",
    [
        {"kid": "00000000"},
        {"kid": None},
        {"kid": 7},
        {"kid": "../../dev/null"},
        {"crit": ["b64"], "b64": False},
        {"crit": ["exp"]},
    ],
    ids=str,
)
def test_a_header_that_is_not_ours_is_refused(header: dict[str, object]) -> None:
    keys = AccessKeys([NEW])
    with pytest.raises(InvalidToken):
        keys.read(signed_by(keys, claims(), **header))


@pytest.mark.parametrize(
    "content",
    [
        claims(type="refresh"),
        claims(sub="7"),
        claims(sub=None),
        claims(exp="2000"),
        claims(sid="x"),
        {name: value for name, value in claims().items() if name != "exp"},
        {name: value for name, value in claims().items() if name != "iat"},
        {name: value for name, value in claims().items() if name != "type"},
        {name: value for name, value in claims().items() if name != "sid"},
        [],
        "text",
        None,
    ],
    ids=str,
)
def test_claims_that_are_missing_or_of_another_kind_are_refused(content: object) -> None:
    keys = AccessKeys([NEW])
    with pytest.raises(InvalidToken):
        keys.read(signed_by(keys, content))


@pytest.mark.parametrize(
    "token",
    ["", ".", "..", "a.b", "a.b.c", "x" * 3000, "\x00", "é.é.é", "eyJhbGciOiJub25lIn0.e30."],
)
def test_what_is_no_token_is_refused(token: str) -> None:
    with pytest.raises(InvalidToken):
        AccessKeys([NEW]).read(token)


def test_every_changed_byte_is_noticed() -> None:
    keys = AccessKeys([NEW])
    token = keys.sign(CLAIMS)
    for place in range(len(token) - 1):
        other = "A" if token[place] != "A" else "B"
        with pytest.raises(InvalidToken):
            keys.read(token[:place] + other + token[place + 1 :])


async def test_tokens_of_two_secrets_work_side_by_side_on_a_site(
    database: Database, tmp_path: Path, clock: SetClock
) -> None:
    before = build_services(database, tmp_path, clock, JWT_SECRETS=OLD)
    async with Rig(before, clock) as rig:
        token = (await register(rig))["access_token"]
    for secrets, status in ((f"{NEW},{OLD}", 200), (NEW, 401)):
        after = build_services(database, tmp_path, clock, JWT_SECRETS=secrets)
        async with Rig(after, clock) as rig:
            answer = await rig.get(ME, headers={"Authorization": f"Bearer {token}"})
            assert answer.status_code == status


async def test_a_token_for_a_device_of_somebody_else_is_refused(rig: Rig) -> None:
    first = await register(rig)
    other = await register(rig, username="other", email="other@example.com")
    keys = keys_of(rig.services.config.access_secrets)
    mine, theirs = keys.read(first["access_token"]), keys.read(other["access_token"])
    for sid in (theirs.sid, uuid4()):
        forged = Claims(mine.sub, mine.username, mine.iat, mine.exp, mine.type, sid)
        answer = await rig.get(ME, headers={"Authorization": f"Bearer {keys.sign(forged)}"})
        assert answer.status_code == 401


async def test_expired_and_invalid_are_told_apart_on_the_novel_api(rig: Rig) -> None:
    token = (await register(rig))["access_token"]
    rig.clock.advance(timedelta(days=8))
    answer = await rig.get(ME, headers={"Authorization": f"Bearer {token}"})
    assert answer.json() == {
        "error": "The token has expired; exchange the refresh token for a new one.",
        "code": "AUTH_REQUIRED",
    }
