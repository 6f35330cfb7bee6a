"""Passwords that everybody tries first, because they were stolen before.

The list lies beside this module; `scripts/common_passwords.py` makes it. Asking it needs no network
and tells nobody.
"""

import gzip
import unicodedata
from functools import lru_cache
from pathlib import Path

_LIST = Path(__file__).with_name("common_passwords.txt.gz")


def is_common(password: str) -> bool:
    """Whether it is on the list, whatever its capitals."""
    word = unicodedata.normalize("NFC", password).lower().encode("utf-8", "surrogatepass")
    return b"\n" not in word and b"\n%b\n" % word in _lines()


@lru_cache(maxsize=1)
def _lines() -> bytes:
    """The list as it is, one to a line: searching it takes less than a set of it would weigh."""
    return b"\n" + gzip.decompress(_LIST.read_bytes())
