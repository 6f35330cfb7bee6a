"""The published vectors hold for both ends: what the client signs, the server believes."""

import base64
import hashlib
import json
import re
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from rensai.client.signing import Key, base_string, signature, signed_headers
from rensai.kit.errors import RensaiError
from rensai.rooms.ingest import errors
from rensai.rooms.ingest.adapters.signing import is_signed_by, read_signed
from tests.architecture.tree import ROOT

PUBLISHED: dict[str, Any] = json.loads((ROOT / "docs" / "ingest-vectors.json").read_text("utf-8"))
CONTRACT = (ROOT / "docs" / "ingest.md").read_text("utf-8")


def raw_body(vector: dict[str, str]) -> bytes:
    if "body_base64" in vector:
        return base64.b64decode(vector["body_base64"])
    return vector["body"].encode()


@pytest.mark.parametrize("vector", PUBLISHED["vectors"], ids=lambda vector: vector["name"])
def test_the_client_signs_as_published(vector: dict[str, str]) -> None:
    body = raw_body(vector)
    assert hashlib.sha256(body).hexdigest() == vector["body_sha256"]
    base = base_string(vector["method"], vector["path"], vector["timestamp"], vector["nonce"], body)
    assert base == vector["base"]
    assert signature(PUBLISHED["secret"], base) == vector["signature"]


@pytest.mark.parametrize("vector", PUBLISHED["vectors"], ids=lambda vector: vector["name"])
def test_the_server_believes_what_is_published_and_nothing_else(vector: dict[str, str]) -> None:
    key = Key(PUBLISHED["key_id"], PUBLISHED["secret"])
    method, path = vector["method"], vector["path"]
    body, times = raw_body(vector), (vector["timestamp"], vector["nonce"])
    headers = signed_headers(key, method, path, body, timestamp=times[0], nonce=times[1])
    assert headers["X-Novel-Signature"] == vector["signature"]
    now = datetime.fromtimestamp(int(vector["timestamp"]), UTC)
    claim = read_signed(method, path, headers, now)
    assert is_signed_by([key.secret.encode()], claim, vector["body_sha256"])
    assert not is_signed_by([key.secret.encode()], claim, hashlib.sha256(b"other").hexdigest())
    assert not is_signed_by([b"another secret"], claim, vector["body_sha256"])


def test_the_contract_names_every_code_with_its_status() -> None:
    told = set(re.findall(r"^\| ([\d, ]+) \| `(\w+)` \|", CONTRACT, re.MULTILINE))
    told = {(status, code) for many, code in told for status in many.split(", ")}
    known: set[tuple[str, str]] = set()
    for each in list(vars(errors).values()):
        if isinstance(each, type) and each.__module__ == errors.__name__:
            error = cast("type[RensaiError]", each)
            known.add((str(getattr(error, "novel_status", None) or error.status), error.novel_code))
    assert known <= told


def test_the_secret_is_not_shown() -> None:
    assert "s3cret" not in repr(Key("nk_1", "s3cret"))
