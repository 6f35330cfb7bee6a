"""Identities are the same on servers that use @scure/bip39 and @noble/ed25519."""

import subprocess

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from bench.node import install, node
from rensai.rooms.readers.adapters import portable

OURS, THEIRS = 12, 12


class Told(msgspec.Struct, rename="camel"):
    """What the other implementation makes of a phrase."""

    phrase: str
    valid: bool
    public_key: str = ""
    fingerprint: str = ""
    signature: str = ""


def ask(phrases: list[str], more: int) -> list[Told]:
    """What it makes of these, and of some that it made itself."""
    folder = install("identity")
    done = subprocess.run(
        [node(), "identity.mjs", str(more)],
        cwd=folder,
        input="".join(f"{phrase}\n" for phrase in phrases),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return [msgspec.json.decode(line, type=Told) for line in done.stdout.splitlines()]


def test_both_make_the_same_identity_of_the_same_words_and_refuse_the_same() -> None:
    ours = [portable.new_phrase() for _ in range(OURS)]
    broken = [
        "abandon " * 11 + "abandon",
        ours[0].rsplit(" ", 1)[0],
        ours[0].upper(),
        ours[0] + " zoo",
        "words that stand on no list of words at all in the whole world",
        "",
    ]
    told = ask([*ours, *broken], THEIRS)
    assert len(told) == OURS + len(broken) + THEIRS
    for each in told:
        assert portable.is_phrase(each.phrase) == each.valid, each.phrase
        if each.valid:
            assert portable.identity_of(each.phrase) == (each.public_key, each.fingerprint)
            key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(each.public_key))
            key.verify(bytes.fromhex(each.signature), each.phrase.encode())
    assert [each.valid for each in told].count(True) == OURS + THEIRS
